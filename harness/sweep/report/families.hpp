// Metric families of sweeps and services. dashboards/metrics.json also lists those of ladders and bills.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reporters/prometheus_text.hpp"

namespace graphbench::sweep {

// All families in the order of publication, which begins with families of cells.
std::vector<reporters::FamilyRow> families();
// Returns the family with this name. An unknown name is a programming error.
const reporters::FamilyRow& family_of_process(std::string_view name);
inline prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const char* name) {
  return gauge(registry, family_of_process(name));
}
inline prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const char* name) {
  return counter(registry, family_of_process(name));
}

}  // namespace graphbench::sweep
