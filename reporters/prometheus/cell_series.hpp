// The series of one cell: which numbers of a cell's result become metrics, under which names.
#pragma once

#include <prometheus/metric_family.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

inline constexpr std::size_t cell_times = 3;   // latency, submit, device
inline constexpr std::size_t cell_gauges = 8;  // capture ... speedup: the table in cell_series.cpp

// Series are shown in this order, which is a person's: batches by number, not by spelling.
struct CellKey {
  std::string device;
  model::Cell cell;
  friend bool operator<(const CellKey& a, const CellKey& b) {
    const auto tie = [](const CellKey& key) {
      const model::Cell& cell = key.cell;
      return std::tie(key.device, cell.workload, cell.preset, cell.dtype, cell.pass, cell.batch, cell.warmup,
                      cell.mode);
    };
    return tie(a) < tie(b);
  }
};

// Quantiles are medians over the launches; `sum` and `count` are over all their samples.
struct TimeSeries {
  std::vector<prometheus::ClientMetric::Quantile> quantiles;  // 0.5, 0.9, 0.99, as far as published
  double sum = 0;
  std::uint64_t count = 0;
};

// Absent values have no series. A cell that is not ok has none at all.
struct CellSeries {
  std::array<std::optional<TimeSeries>, cell_times> times;
  std::array<std::optional<double>, cell_gauges> gauges;
};

CellSeries series_of(const model::CellResult& cell);

// All cells' families, each with its help and type.
std::vector<prometheus::MetricFamily> families_of(const std::map<CellKey, CellSeries>& cells);

}  // namespace graphbench::reporters
