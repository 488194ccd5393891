// Writes metrics as text. The serializer writes whole families; this file cuts the lines of one series out.
#include "reporters/prometheus_text.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
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

std::string head_text(const std::string& name, const std::string& help, MetricType type) {
  return rendered({MetricFamily{name, help, type, {}}});
}

// Removes the TYPE line, the only line before a series without help text. head_text() returns that line.
std::string series_text(const std::string& name, MetricType type, ClientMetric metric) {
  const std::string text = rendered({MetricFamily{name, "", type, {std::move(metric)}}});
  return text.substr(text.find('\n') + 1);
}

std::string gauge_text(const std::string& name, std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.gauge.value = value;
  return series_text(name, MetricType::Gauge, std::move(metric));
}

}  // namespace graphbench::reporters
