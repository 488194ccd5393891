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

#include "harness/sweep/report/series.hpp"

namespace graphbench::reporters {

// HELP and TYPE of a family.
std::string head_text(const std::string& name, const std::string& help, prometheus::MetricType type);

// A series without its family's head.
std::string series_text(const std::string& name, prometheus::MetricType type,
                        prometheus::ClientMetric metric);
std::string gauge_text(const std::string& name, std::vector<prometheus::ClientMetric::Label> labels,
                       double value);

// The labels of a cell, in the order of the documents.
std::vector<prometheus::ClientMetric::Label> labels_of(const CellKey& key);

// A family of families.hpp, with its help.
prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const char* name);
prometheus::Family<prometheus::Counter>& counter(prometheus::Registry& registry, const char* name);

// By name, then by labels: the registry keeps series in hash order; people and golden files want one order.
std::string rendered(std::vector<prometheus::MetricFamily> families);

}  // namespace graphbench::reporters
