// The two tables of cell metrics, and the arithmetic behind them: medians over launches.
#include "reporters/prometheus/cell_series.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "harness/statistics/quantiles.hpp"
#include "reporters/prometheus/line_text.hpp"

namespace graphbench::reporters {
namespace {

using prometheus::ClientMetric;
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
constexpr std::array<TimeMetric, 3> times{{
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

Number prepare(const model::CellResult& cell) {
  std::vector<double> values;
  for (const model::Launch& launch : cell.launches) {
    if (launch.setup.prepare_seconds) values.push_back(*launch.setup.prepare_seconds);
  }
  return statistics::median_or_absent(std::move(values));
}

Number setup(const model::CellResult& cell, double model::Setup::*field) {
  std::vector<double> values;
  for (const model::Launch& launch : cell.launches) values.push_back(launch.setup.*field);
  return statistics::median_or_absent(std::move(values));
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

Number throughput(const model::CellResult& cell) {
  std::vector<double> values;
  for (const model::Launch& launch : cell.launches) {
    if (launch.throughput_steps_per_second) values.push_back(*launch.throughput_steps_per_second);
  }
  return statistics::median_or_absent(std::move(values));
}

Number memory(const model::CellResult& cell, std::int64_t model::Memory::*field) {
  if (!cell.memory) return std::nullopt;
  return static_cast<double>((*cell.memory).*field);
}

constexpr std::array<GaugeMetric, 15> gauges{{
    {"graphbench_throughput_steps_per_second", "Steps a second, back to back, from a pass of its own.",
     throughput},
    {"graphbench_prepare_seconds", "Time of looking up and choosing kernels and plans; runs no step.",
     prepare},
    {"graphbench_warmup_seconds", "Time of the eager steps before capture, or before the first sample.",
     [](const model::CellResult& cell) { return setup(cell, &model::Setup::warmup_seconds); }},
    {"graphbench_capture_seconds", "Time of capturing the step's graphs.",
     [](const model::CellResult& cell) { return graph_setup(cell, &model::Setup::capture_seconds); }},
    {"graphbench_instantiate_seconds", "Time of instantiating the step's graphs.",
     [](const model::CellResult& cell) { return graph_setup(cell, &model::Setup::instantiate_seconds); }},
    {"graphbench_upload_seconds", "Time of uploading the step's graphs to the device.",
     [](const model::CellResult& cell) { return graph_setup(cell, &model::Setup::upload_seconds); }},
    {"graphbench_first_step_seconds", "Time of the first step after the setup.",
     [](const model::CellResult& cell) { return setup(cell, &model::Setup::first_step_seconds); }},
    {"graphbench_pool_bytes", "Memory reserved by the pool that all batch sizes of the worker share.",
     [](const model::CellResult& cell) { return memory(cell, &model::Memory::pool_bytes); }},
    {"graphbench_pool_private_bytes", "Memory that the same captures take in private pools.",
     [](const model::CellResult& cell) { return memory(cell, &model::Memory::pool_bytes_private); }},
    {"graphbench_graph_nodes", "Nodes of the step's graphs.",
     [](const model::CellResult& cell) { return graph_count(cell, &model::GraphCounts::nodes); }},
    {"graphbench_graph_pieces", "Graphs that the step is captured as.",
     [](const model::CellResult& cell) { return graph_count(cell, &model::GraphCounts::pieces); }},
    {"graphbench_speedup_over_eager_ratio", "Latency of the same step in mode eager over this one's.",
     [](const model::CellResult& cell) { return cell.summary.speedup_over_eager; }},
    {"graphbench_breakeven_steps", "Replays that pay capture, instantiate and upload back.",
     [](const model::CellResult& cell) { return cell.summary.breakeven_steps; }},
    {"graphbench_steady_after_steps", "Steps after which the latency stays in its steady band.",
     [](const model::CellResult& cell) -> Number {
       if (!cell.summary.steady_after) return std::nullopt;
       return static_cast<double>(*cell.summary.steady_after);
     }},
    {"graphbench_submit_over_floor_ratio", "Submit over the least that its launches cost on this machine.",
     [](const model::CellResult& cell) { return cell.summary.submit_over_floor; }},
}};

constexpr const char* ramp_name = "graphbench_ramp_seconds";
constexpr const char* ramp_help = "Latency of one of the first steps after the setup.";
constexpr std::array<std::size_t, 7> ramp_steps = {0, 1, 2, 4, 8, 16, 31};

constexpr std::size_t ramp_family = times.size() + gauges.size();
static_assert(ramp_family + 1 == cell_families);

Number finite(Number value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// Quantiles are medians over the launches; sum and count are over all their samples.
std::optional<ClientMetric::Summary> time_of(const model::CellResult& cell, const TimeMetric& metric) {
  const std::optional<model::Estimate>& estimate = cell.summary.*(metric.of_cell);
  if (!estimate || !std::isfinite(estimate->p50)) return std::nullopt;
  ClientMetric::Summary time;
  std::vector<double> p90;
  std::vector<double> p99;
  for (const model::Launch& launch : cell.launches) {
    const std::optional<model::Summary>& summary = launch.*(metric.of_launch);
    if (!summary) continue;
    // Launches with too few samples for a percentile say nothing about it.
    if (summary->p90) p90.push_back(*summary->p90);
    if (summary->p99) p99.push_back(*summary->p99);
    time.sample_count += static_cast<std::uint64_t>(summary->count);
    time.sample_sum += summary->mean * static_cast<double>(summary->count);
  }
  time.quantile.push_back({0.5, estimate->p50});
  if (const Number value = finite(statistics::median_or_absent(p90))) time.quantile.push_back({0.9, *value});
  if (const Number value = finite(statistics::median_or_absent(p99))) time.quantile.push_back({0.99, *value});
  return time;
}

// The n-th step after the setup: the median over the launches that took as many.
Number ramp_at(const model::CellResult& cell, std::size_t step) {
  std::vector<double> values;
  for (const model::Launch& launch : cell.launches) {
    if (step < launch.latency_samples.size()) values.push_back(launch.latency_samples[step]);
  }
  return statistics::median_or_absent(std::move(values));
}

}  // namespace

CellLines lines_of(const CellKey& key, const model::CellResult& cell) {
  CellLines lines;
  if (cell.status != model::CellStatus::ok) return lines;
  ClientMetric metric;
  metric.label = labels_of(key);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto time = time_of(cell, times[i]);
    if (!time) continue;
    metric.summary = *time;
    lines[i] = series_text(times[i].name, MetricType::Summary, metric);
  }
  for (std::size_t i = 0; i < gauges.size(); ++i) {
    const Number value = finite(gauges[i].value(cell));
    if (!value) continue;
    lines[times.size() + i] = gauge_text(gauges[i].name, metric.label, *value);
  }
  for (const std::size_t step : ramp_steps) {
    const Number value = finite(ramp_at(cell, step));
    if (!value) continue;
    std::vector<ClientMetric::Label> labels = metric.label;
    labels.push_back({"step", std::to_string(step)});
    lines[ramp_family] += gauge_text(ramp_name, std::move(labels), *value);
  }
  return lines;
}

void append_families(std::string& text, const std::map<CellKey, CellLines>& cells) {
  for (std::size_t i = 0; i < cell_families; ++i) {
    // A family without series would be a promise without numbers.
    if (std::ranges::all_of(cells, [i](const auto& cell) { return cell.second[i].empty(); })) continue;
    if (i < times.size()) {
      text += head_text(times[i].name, times[i].help, MetricType::Summary);
    } else if (i == ramp_family) {
      text += head_text(ramp_name, ramp_help, MetricType::Gauge);
    } else {
      const GaugeMetric& gauge = gauges[i - times.size()];
      text += head_text(gauge.name, gauge.help, MetricType::Gauge);
    }
    for (const auto& [key, lines] : cells) text += lines[i];
  }
}

}  // namespace graphbench::reporters
