// Checks a cell that was read: its parts must agree with each other, and times must be valid. Internal to
// harness/model/codec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/codec/json_walk.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// From a femtosecond to 30 years: beyond these, ratios would leave the range of numbers.
bool can_be_median(double seconds);

// The count of a counted metric, or its resolution. Documents also have it for eager cells.
std::optional<std::int64_t> count_of(const model::MetricValue& of, const model::CellResult& cell);

class CellChecker {
 public:
  // The walk stands at the cell that is checked, so its refusal names the place of the fault.
  explicit CellChecker(const JsonWalk& walk);

  void check(const std::string& id, const model::CellResult& cell) const;

 private:
  // A number of a launch.
  struct Place {
    std::size_t launch;
    const model::MetricRow& row;
  };

  void check_id(const std::string& id, const model::Cell& cell) const;
  void check_numbers(const model::CellResult& cell) const;
  void check_measured(const model::CellResult& cell) const;
  void check_launch_bound(const model::CellResult& cell) const;
  void check_launch(const model::Launch& launch, std::size_t launch_place) const;
  void check_summary(const model::Summary& summary, const Place& place) const;
  [[noreturn]] void refuse(const Place& place, std::string_view rank, const std::string& detail) const;

  const JsonWalk& walk_;
  const std::vector<const model::MetricRow*> rows_;  // rows of the metrics of launches and their parts
};

}  // namespace graphbench::codec
