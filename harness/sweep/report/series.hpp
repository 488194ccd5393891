// The Prometheus families of cells and of a sweep's comparison with the baseline, and how their series are
// made.
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
#include "reporters/prometheus_text.hpp"

namespace graphbench::sweep {

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
reporters::Labels labels_of(const CellKey& key);

// Quantiles above the median, each with the member of Summary that has its value.
using Percentiles = std::vector<std::pair<double, std::optional<double> model::Summary::*>>;
// Returns Prometheus's type summary, because promtool allows the label `quantile` for no other type. Each
// percentile is the median of the launches' percentiles; sum and count include all samples. prometheus-cpp's
// own Summary would cost microseconds per sample, and estimate values that are known exactly.
prometheus::ClientMetric::Summary times_over(double p50, const std::vector<model::Summary>& launches,
                                             const Percentiles& percentiles);

// The families of cells. A cell that is not ok has only series on skips and on why it has no break-even.
const std::vector<reporters::Family<model::CellResult>>& cell_families();
// The families of a comparison with the baseline: of all of it, of each cell, and of each mean.
const std::vector<reporters::Family<model::Comparison>>& coverage_families();
const std::vector<reporters::Family<model::CellComparison>>& change_families();
const std::vector<reporters::Family<model::MeanComparison>>& mean_families();

reporters::FamilyLines lines_of(const CellKey& key, const model::CellResult& cell);

// `cells` are the device's cells in /metrics, by id. Other cells get no series, because a change says little
// without the cell's numbers. Results that are not comparable get only the series with the reasons.
reporters::FamilyLines lines_of(const std::string& device, const std::map<std::string, model::Cell>& cells,
                                const model::Comparison& comparison);

}  // namespace graphbench::sweep
