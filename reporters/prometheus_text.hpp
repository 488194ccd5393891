// Writes Prometheus's text format: the lines of one series, for callers to keep, or all families in order.
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
  std::vector<std::string> labels;  // "CELL" stands for the labels of a cell
  std::string help;
};

std::string head_text(const std::string& name, const std::string& help, prometheus::MetricType type);

// The lines of a series without the head of its family.
std::string series_text(const std::string& name, prometheus::MetricType type,
                        prometheus::ClientMetric metric);
std::string gauge_text(const std::string& name, std::vector<prometheus::ClientMetric::Label> labels,
                       double value);

prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const FamilyRow& row);
prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const FamilyRow& row);

// The families as text, sorted by name and labels: the registry keeps series in hash order, but golden files
// need a fixed order.
std::string rendered(std::vector<prometheus::MetricFamily> families);

}  // namespace graphbench::reporters
