// Metric families of sweeps and services. dashboards/metrics.json also lists those of ladders and bills.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/metrics.hpp"
#include "reporters/prometheus_text.hpp"

namespace graphbench::reporters {

// All families in the order of publication, which begins with families of cells.
std::vector<FamilyRow> families();
// Returns the family with this name. An unknown name is a programming error.
const FamilyRow& family_of_process(std::string_view name);
inline prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const char* name) {
  return gauge(registry, family_of_process(name));
}
inline prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const char* name) {
  return counter(registry, family_of_process(name));
}
// The family of a metric's baseline values: "graphbench_baseline_latency_seconds".
std::string baseline_family(const model::MetricRow& metric);

inline constexpr const char* ramp_family = "graphbench_ramp_seconds";
inline constexpr const char* memory_family = "graphbench_memory_bytes";
inline constexpr const char* skips_family = "graphbench_counters_skips";
inline constexpr const char* walk_family = "graphbench_shape_walk_steps";
inline constexpr const char* no_breakeven_family = "graphbench_no_breakeven_info";

}  // namespace graphbench::reporters
