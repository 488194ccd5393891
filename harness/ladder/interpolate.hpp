// Estimates step times of sizes that were not measured, and values that depend on them. No function does I/O.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "harness/ladder/ladder.hpp"

namespace graphbench::ladder {

// Step time in seconds by size, interpolated between measured points: by Fritsch and Butland's monotone
// piecewise cubic, or linearly below four points. Absent outside of the measured range.
class StepTimes {
 public:
  explicit StepTimes(std::map<std::int64_t, double> measured);
  bool measured(std::int64_t size) const { return measured_.contains(size); }
  std::optional<double> at(std::int64_t size) const;

 private:
  std::map<std::int64_t, double> measured_;
  std::function<double(double)> curve_;  // empty below four points
};

// Adds the expected time of the launch's steps and the cost of padding. Both stay absent if a used size or an
// eager step has no time.
void add_expectations(LadderLaunch& launch);

}  // namespace graphbench::ladder
