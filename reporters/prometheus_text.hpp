// Prometheus's text format by prometheus-cpp's serializer: single lines, which are rendered once and kept,
// and a registry's families in the same order every time.
#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>
#include <prometheus/registry.h>

#include <string>
#include <vector>

namespace graphbench::reporters {

struct FamilyRow {
  std::string name;
  std::string type;  // "summary", "gauge", "counter", "histogram"
  std::string unit;
  std::vector<std::string> labels;  // "CELL" stands for a cell's own
  std::string help;
};

// HELP and TYPE of a family.
std::string head_text(const std::string& name, const std::string& help, prometheus::MetricType type);

// A series without its family's head.
std::string series_text(const std::string& name, prometheus::MetricType type,
                        prometheus::ClientMetric metric);
std::string gauge_text(const std::string& name, std::vector<prometheus::ClientMetric::Label> labels,
                       double value);

prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const FamilyRow& row);
prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const FamilyRow& row);

// Sorted by name, then by labels: the registry keeps series in hash order; people and golden files want one
// order.
std::string rendered(std::vector<prometheus::MetricFamily> families);

}  // namespace graphbench::reporters
