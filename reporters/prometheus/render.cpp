// Sorts, then leaves the text to prometheus-cpp.
#include "reporters/prometheus/render.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <sstream>

namespace graphbench::reporters {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

std::string rendered(std::vector<MetricFamily> families) {
  std::ranges::sort(families, {}, &MetricFamily::name);
  for (MetricFamily& family : families) {
    std::ranges::sort(family.metric,
                      [](const ClientMetric& a, const ClientMetric& b) { return a.label < b.label; });
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

}  // namespace graphbench::reporters
