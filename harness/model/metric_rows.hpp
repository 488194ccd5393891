// A new metric is one row, in the file of its subject. Internal to harness/model.
#pragma once

#include <vector>

#include "harness/model/metric_value.hpp"

namespace graphbench::model {

// The table: rows of times and summaries, and the rows of the other files.
std::vector<MetricRow> metric_rows();
std::vector<MetricRow> graph_metric_rows();    // graph
std::vector<MetricRow> step_metric_rows();     // caller_io, counters and training
std::vector<MetricRow> memory_metric_rows();   // memory
std::vector<MetricRow> startup_metric_rows();  // startup
std::vector<MetricRow> cache_metric_rows();    // cache
std::vector<MetricRow> package_metric_rows();  // package
std::vector<MetricRow> walk_metric_rows();     // evaluation and shape_walk

// A row of a metric that is measured only on request.
MetricRow row(std::string_view name, MetricKind kind, std::string_view unit, MetricValue value,
              std::string_view family, std::string_view help);

}  // namespace graphbench::model
