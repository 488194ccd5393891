// Makes Prometheus series from the numbers of a cell, and of a sweep's comparison with the baseline.
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

// Orders series by device, then by axes: batches by number, not by text.
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

// The labels of a cell: its axes in the order of documents, then the device.
std::vector<prometheus::ClientMetric::Label> labels_of(const CellKey& key);

// Quantiles above the median, each with the member of Summary that has its value.
using Percentiles = std::vector<std::pair<double, std::optional<double> model::Summary::*>>;
// Returns Prometheus's type summary, because promtool allows the label `quantile` for no other type. Each
// percentile is the median of the launches' percentiles; sum and count include all samples. prometheus-cpp's
// own Summary would cost microseconds per sample, and estimate values that are known exactly.
prometheus::ClientMetric::Summary times_over(double p50, const std::vector<model::Summary>& launches,
                                             const Percentiles& percentiles);

// The lines of one cell or comparison: element i has the lines of families()[i], and is empty if there is no
// number for that family. Rendered when the cell changes, so that a scrape only joins texts.
using CellLines = std::vector<std::string>;

// A cell that is not ok has only lines on skips and on why it has no break-even.
CellLines lines_of(const CellKey& key, const model::CellResult& cell);

using ComparisonLines = std::vector<std::string>;

// `cells` are the device's cells in /metrics, by id. Other cells get no series, because a change says little
// without the cell's numbers. Results that are not comparable get only the series with the reasons.
ComparisonLines lines_of(const std::string& device, const std::map<std::string, model::Cell>& cells,
                         const model::Comparison& comparison);

}  // namespace graphbench::reporters
