// The two tables of cell metrics, and the arithmetic behind them: medians over launches.
#include "reporters/prometheus/cell_series.hpp"

#include <algorithm>
#include <cmath>

namespace graphbench::reporters {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

struct TimeMetric {
  const char* name;
  const char* help;
  std::optional<model::Summary> model::Launch::*of_launch;
  std::optional<model::Estimate> model::CellSummary::*of_cell;
};

// A `quantile` label belongs to summaries (promtool check metrics insists), so that is their type. They
// are computed from the launches, not observed one by one: prometheus-cpp's own Summary would cost
// microseconds a sample and estimate what is known exactly.
constexpr std::array<TimeMetric, cell_times> times{{
    {"graphbench_latency_seconds", "Time of a step from the start of its submission to its completion.",
     &model::Launch::latency_seconds, &model::CellSummary::latency_seconds},
    {"graphbench_submit_seconds", "Host time of submitting a step: its CPU overhead.",
     &model::Launch::submit_seconds, &model::CellSummary::submit_seconds},
    {"graphbench_device_seconds", "Device time of a step, from a pass of its own.",
     &model::Launch::device_seconds, &model::CellSummary::device_seconds},
}};

using Number = std::optional<double>;

struct GaugeMetric {
  const char* name;
  const char* help;
  Number (*value)(const model::CellResult&);
};

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Number setup(const model::CellResult& cell, double model::Setup::*field) {
  std::vector<double> values;
  for (const model::Launch& launch : cell.launches) values.push_back(launch.setup.*field);
  return median(std::move(values));
}

bool is_graph(const model::CellResult& cell) {
  return cell.cell.mode != "eager";
}

// What a graph has and costs is no number of a cell without one: an eager cell has no such series.
Number graph_setup(const model::CellResult& cell, double model::Setup::*field) {
  return is_graph(cell) ? setup(cell, field) : std::nullopt;
}

Number graph_count(const model::CellResult& cell, std::int64_t model::GraphCounts::*field) {
  if (!is_graph(cell) || !cell.graph) return std::nullopt;
  return static_cast<double>((*cell.graph).*field);
}

constexpr std::array<GaugeMetric, cell_gauges> gauges{{
    {"graphbench_capture_seconds", "Time of capturing the step's graphs.",
     [](const model::CellResult& cell) { return graph_setup(cell, &model::Setup::capture_seconds); }},
    {"graphbench_instantiate_seconds", "Time of instantiating the step's graphs.",
     [](const model::CellResult& cell) { return graph_setup(cell, &model::Setup::instantiate_seconds); }},
    {"graphbench_upload_seconds", "Time of uploading the step's graphs to the device.",
     [](const model::CellResult& cell) { return graph_setup(cell, &model::Setup::upload_seconds); }},
    {"graphbench_first_step_seconds", "Time of the first step after the setup.",
     [](const model::CellResult& cell) { return setup(cell, &model::Setup::first_step_seconds); }},
    {"graphbench_pool_bytes", "Memory reserved by the pool that all batch sizes of the worker share.",
     [](const model::CellResult& cell) -> Number {
       if (!cell.memory) return std::nullopt;
       return static_cast<double>(cell.memory->pool_bytes);
     }},
    {"graphbench_graph_nodes", "Nodes of the step's graphs.",
     [](const model::CellResult& cell) { return graph_count(cell, &model::GraphCounts::nodes); }},
    {"graphbench_graph_pieces", "Graphs that the step is captured as.",
     [](const model::CellResult& cell) { return graph_count(cell, &model::GraphCounts::pieces); }},
    {"graphbench_speedup_over_eager_ratio", "Latency of the same step in mode eager over this one's.",
     [](const model::CellResult& cell) { return cell.summary.speedup_over_eager; }},
}};

Number finite(Number value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<TimeSeries> time_series(const model::CellResult& cell, const TimeMetric& metric) {
  const std::optional<model::Estimate>& estimate = cell.summary.*(metric.of_cell);
  if (!estimate || !std::isfinite(estimate->p50)) return std::nullopt;
  TimeSeries series;
  std::vector<double> p90;
  std::vector<double> p99;
  for (const model::Launch& launch : cell.launches) {
    const std::optional<model::Summary>& summary = launch.*(metric.of_launch);
    if (!summary) continue;
    // Launches with too few samples for a percentile say nothing about it.
    if (summary->p90) p90.push_back(*summary->p90);
    if (summary->p99) p99.push_back(*summary->p99);
    series.count += static_cast<std::uint64_t>(summary->count);
    series.sum += summary->mean * static_cast<double>(summary->count);
  }
  series.quantiles.push_back({0.5, estimate->p50});
  if (const Number value = finite(median(p90))) series.quantiles.push_back({0.9, *value});
  if (const Number value = finite(median(p99))) series.quantiles.push_back({0.99, *value});
  return series;
}

std::vector<ClientMetric::Label> labels_of(const CellKey& key) {
  const model::Cell& cell = key.cell;
  return {{"workload", cell.workload},
          {"preset", cell.preset},
          {"dtype", cell.dtype},
          {"pass", cell.pass},
          {"batch", std::to_string(cell.batch)},
          {"warmup", std::to_string(cell.warmup)},
          {"mode", cell.mode},
          {"device", key.device}};
}

void add(MetricFamily& family, const CellKey& key, const TimeSeries& series) {
  ClientMetric metric;
  metric.label = labels_of(key);
  metric.summary = {series.count, series.sum, series.quantiles};
  family.metric.push_back(std::move(metric));
}

void add(MetricFamily& family, const CellKey& key, double value) {
  ClientMetric metric;
  metric.label = labels_of(key);
  metric.gauge.value = value;
  family.metric.push_back(std::move(metric));
}

// The family of one member of every cell's array.
template <typename Members>
MetricFamily family_of(const MetricFamily& head, const std::map<CellKey, CellSeries>& cells,
                       Members CellSeries::*members, std::size_t index) {
  MetricFamily family = head;
  for (const auto& [key, series] : cells) {
    const auto& member = (series.*members)[index];
    if (member) add(family, key, *member);
  }
  return family;
}

}  // namespace

CellSeries series_of(const model::CellResult& cell) {
  CellSeries series;
  if (cell.status != model::CellStatus::ok) return series;
  for (std::size_t i = 0; i < cell_times; ++i) series.times[i] = time_series(cell, times[i]);
  for (std::size_t i = 0; i < cell_gauges; ++i) series.gauges[i] = finite(gauges[i].value(cell));
  return series;
}

std::vector<MetricFamily> families_of(const std::map<CellKey, CellSeries>& cells) {
  std::vector<MetricFamily> families;
  for (std::size_t i = 0; i < cell_times; ++i) {
    const MetricFamily head{times[i].name, times[i].help, MetricType::Summary, {}};
    families.push_back(family_of(head, cells, &CellSeries::times, i));
  }
  for (std::size_t i = 0; i < cell_gauges; ++i) {
    const MetricFamily head{gauges[i].name, gauges[i].help, MetricType::Gauge, {}};
    families.push_back(family_of(head, cells, &CellSeries::gauges, i));
  }
  // A family without series would be a promise without numbers.
  std::erase_if(families, [](const MetricFamily& family) { return family.metric.empty(); });
  return families;
}

}  // namespace graphbench::reporters
