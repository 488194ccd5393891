// Every family that graphbench publishes: name, type, unit, labels, help. Those of cells come from the table
// of metrics; dashboards/metrics.json is this list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/metrics.hpp"

namespace graphbench::reporters {

struct FamilyRow {
  std::string name;
  std::string type;  // "summary", "gauge", "counter", "histogram"
  std::string unit;
  std::vector<std::string> labels;  // "CELL" stands for a cell's own
  std::string help;
};

// Families of cells first, in the order in which they are published.
std::vector<FamilyRow> families();
// A programmer's mistake where there is none of that name.
const FamilyRow& family_of_process(std::string_view name);
// Of one compared metric: "graphbench_baseline_latency_seconds".
std::string baseline_family(const model::MetricRow& metric);

inline constexpr const char* ramp_family = "graphbench_ramp_seconds";
inline constexpr const char* skips_family = "graphbench_counters_skips";
inline constexpr const char* walk_family = "graphbench_shape_walk_steps";

}  // namespace graphbench::reporters
