// A registry's families as text, in the same order every time.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace graphbench::reporters {

// By name, then by labels: the registry keeps series in hash order; people and golden files want one order.
std::string rendered(std::vector<prometheus::MetricFamily> families);

}  // namespace graphbench::reporters
