// Where a new metric is added: one row, in the file of its subject. Internal to harness/model.
#pragma once

#include <vector>

#include "harness/model/metrics.hpp"

namespace graphbench::model {

// metric_rows.cpp: times and summaries, and all rows in the order of the document.
std::vector<MetricRow> metric_rows();
std::vector<MetricRow> graph_metric_rows();    // graph, caller_io and counters
std::vector<MetricRow> memory_metric_rows();   // memory
std::vector<MetricRow> cache_metric_rows();    // cache
std::vector<MetricRow> package_metric_rows();  // package
std::vector<MetricRow> compile_metric_rows();  // compiled

}  // namespace graphbench::model
