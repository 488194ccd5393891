// Checks that a cell's parts agree and its times are valid. Internal to harness/model/codec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/codec/json_walk.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

// Whether the time is between a femtosecond and 30 years. The ratio of other times could overflow.
bool can_be_median(double seconds);

// Reads the value from the cell as a count. Unlike value_of(), it also reads a metric of graphs
// from an eager cell.
std::optional<std::int64_t> count_of(const MetricValue& of, const CellResult& cell);

class CellChecker {
 public:
  // During check(), `walk` must be at the checked cell, because errors name the walk's place.
  explicit CellChecker(const JsonWalk& walk);

  void check(const std::string& id, const CellResult& cell) const;

 private:
  // Where a number is: in which launch (an index of cell.launches) and which metric.
  struct Place {
    std::size_t launch;
    const MetricRow& row;
  };

  void check_id(const std::string& id, const Cell& cell) const;
  void check_numbers(const CellResult& cell) const;
  void check_measured(const CellResult& cell) const;
  void check_launch_bound(const CellResult& cell) const;
  void check_launch(const Launch& launch, std::size_t launch_place) const;
  void check_summary(const Summary& summary, const Place& place) const;
  [[noreturn]] void refuse(const Place& place, std::string_view rank, const std::string& detail) const;

  const JsonWalk& walk_;
  const std::vector<const MetricRow*> rows_;  // metrics of launches and of their parts
};

}  // namespace graphbench::model
