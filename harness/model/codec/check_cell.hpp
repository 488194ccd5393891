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

namespace graphbench::codec {

// Whether the time is from a femtosecond to 30 years. Ratios of other times might overflow.
bool can_be_median(double seconds);

// The count or the resolution of a counted metric. Documents also have them for eager cells.
std::optional<std::int64_t> count_of(const model::MetricValue& of, const model::CellResult& cell);

class CellChecker {
 public:
  // The walk must be at the cell that is checked, because its errors name the place.
  explicit CellChecker(const JsonWalk& walk);

  void check(const std::string& id, const model::CellResult& cell) const;

 private:
  // The launch and the metric of a number.
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
  const std::vector<const model::MetricRow*> rows_;  // metrics of launches and of their parts
};

}  // namespace graphbench::codec
