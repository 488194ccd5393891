// Estimates step times of sizes that were not measured, and figures that follow from them. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "harness/ladder/ladder.hpp"

namespace graphbench::ladder {

// Seconds by size through measured points: monotone between two points if they are (Fritsch and Butland's
// piecewise cubic; a line below four points). There is no value beyond the points.
class StepTimes {
 public:
  explicit StepTimes(std::map<std::int64_t, double> measured);
  ~StepTimes();
  StepTimes(StepTimes&&) noexcept;
  bool measured(std::int64_t size) const { return measured_.contains(size); }
  std::optional<double> at(std::int64_t size) const;

 private:
  struct Curve;
  std::map<std::int64_t, double> measured_;
  std::unique_ptr<Curve> curve_;
};

// Fills in, from the launch's counts and calibration, the expected time of the steps and the cost of padding.
// They stay absent if a used size has no time.
void add_expectations(model::LadderLaunch& launch);

}  // namespace graphbench::ladder
