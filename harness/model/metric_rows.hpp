// Makes the rows of the table of metrics, one function per subject. Internal to harness/model.
#pragma once

#include <vector>

#include "harness/model/metric_value.hpp"

namespace graphbench::model {

// metric_rows() returns all rows in the table's order. Each other function returns the rows of those parts of
// a launch or a cell that its name or its comment gives.
std::vector<MetricRow> metric_rows();
std::vector<MetricRow> graph_metric_rows();
std::vector<MetricRow> step_metric_rows();  // caller_io, counters and training
std::vector<MetricRow> memory_metric_rows();
std::vector<MetricRow> process_metric_rows();  // cache, package, startup, evaluation and shape_walk

// A row of a metric that is measured only on request. Its unit tells its kind: a unit other than
// bytes and seconds means a count.
constexpr MetricRow row(std::string_view name, std::string_view unit, MetricValue value,
                        std::string_view family, std::string_view help) {
  const MetricKind kind = unit == "bytes"     ? MetricKind::bytes
                          : unit == "seconds" ? MetricKind::time
                                              : MetricKind::count;
  return {.name = name,
          .kind = kind,
          .unit = unit,
          .help = help,
          .value = value,
          .on_request = true,
          .family = family};
}

}  // namespace graphbench::model
