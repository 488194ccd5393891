// Writes metrics as text. The serializer writes whole families; this file cuts the lines of one series out.
#include "reporters/prometheus_text.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace graphbench::reporters {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const FamilyRow& row) {
  return prometheus::BuildGauge().Name(row.name).Help(row.help).Register(registry);
}

prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const FamilyRow& row) {
  return prometheus::BuildCounter().Name(row.name).Help(row.help).Register(registry);
}

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

std::string head_text(const FamilyRow& family) {
  const auto type = family.type == "summary" ? MetricType::Summary : MetricType::Gauge;
  return rendered({MetricFamily{family.name, family.help, type, {}}});
}

void add_lines(FamilyLines& lines, const FamilyRow& family, const Labels& shared,
               const std::vector<Series>& series) {
  const auto type = family.type == "summary" ? MetricType::Summary : MetricType::Gauge;
  for (const auto& [values, number, times] : series) {
    if (!std::isfinite(number)) continue;
    ClientMetric metric;
    metric.label = shared;
    for (std::size_t i = 0; i < values.size(); ++i)
      metric.label.push_back({family.labels[family.labels.size() - values.size() + i], values[i]});
    metric.gauge.value = number;
    if (times) metric.summary = *times;
    const std::string text = rendered({MetricFamily{family.name, "", type, {std::move(metric)}}});
    // Leaves out the TYPE line, the only line before a series without help text. head_text() returns it.
    lines[family.name] += text.substr(text.find('\n') + 1);
  }
}

}  // namespace graphbench::reporters
