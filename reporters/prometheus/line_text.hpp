// Single lines of the text format, by prometheus-cpp's serializer: what is rendered once and kept.
#pragma once

#include <prometheus/client_metric.h>
#include <prometheus/metric_type.h>

#include <string>
#include <vector>

#include "reporters/prometheus/cell_series.hpp"

namespace graphbench::reporters {

// HELP and TYPE of a family.
std::string head_text(const std::string& name, const std::string& help, prometheus::MetricType type);

// A series without its family's head.
std::string series_text(const std::string& name, prometheus::MetricType type,
                        prometheus::ClientMetric metric);
std::string gauge_text(const std::string& name, std::vector<prometheus::ClientMetric::Label> labels,
                       double value);

// The labels that tell a cell, in the contract's order.
std::vector<prometheus::ClientMetric::Label> labels_of(const CellKey& key);

}  // namespace graphbench::reporters
