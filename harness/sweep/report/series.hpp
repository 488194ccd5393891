// The series of one cell, and of a sweep's comparison with the baseline: which numbers become which metrics.
#pragma once

#include <prometheus/client_metric.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/result.hpp"

namespace graphbench::reporters {

// Series are shown in this order, as a reader expects it: batches by number, not by spelling.
struct CellKey {
  std::string device;
  model::Cell cell;
  friend bool operator<(const CellKey& a, const CellKey& b) {
    const auto tie = [](const CellKey& key) {
      const model::Cell& cell = key.cell;
      return std::tie(key.device, cell.workload, cell.preset, cell.dtype, cell.pass, cell.batch, cell.warmup,
                      cell.mode, cell.more_axes);
    };
    return tie(a) < tie(b);
  }
};

// The labels of a cell, in the order of the documents.
std::vector<prometheus::ClientMetric::Label> labels_of(const CellKey& key);

// Quantiles above the median, and the place of each in a launch.
using Percentiles = std::vector<std::pair<double, std::optional<double> model::Summary::*>>;
// A `quantile` label belongs to summaries (promtool check metrics insists), so that is the type of times.
// They are computed from the launches, not observed one by one: prometheus-cpp's own Summary would cost
// microseconds per sample and estimate what is known exactly. The higher quantiles are medians over the
// launches; sum and count are over all their samples.
prometheus::ClientMetric::Summary times_over(double p50, const std::vector<model::Summary>& launches,
                                             const Percentiles& percentiles);

// The lines of one cell or comparison in each family's text, in the order of families(); empty if it has
// no such number. Rendered when the cell changes, so that a scrape only puts lines together.
using CellLines = std::vector<std::string>;

// A cell that is not ok has no lines, except for why it was skipped.
CellLines lines_of(const CellKey& key, const model::CellResult& cell);

// CellLines of one device's comparison.
using ComparisonLines = std::vector<std::string>;

// `cells`: by id, the cells of the device whose numbers are in /metrics. Others have no series here either,
// because a change without its numbers cannot be read. Sides that do not compare have only the series that
// say so.
ComparisonLines lines_of(const std::string& device, const std::map<std::string, model::Cell>& cells,
                         const model::Comparison& comparison);

}  // namespace graphbench::reporters
