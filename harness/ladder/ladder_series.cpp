// Makes the Prometheus series of ladders from one row per metric family: its name, and a function that
// returns a launch's numbers by label value. Published numbers are medians over launches.
#include <cmath>
#include <map>
#include <utility>

#include "harness/ladder/ladder_table.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/sweep/report/series.hpp"
#include "reporters/prometheus_text.hpp"

namespace graphbench::reporters {
namespace {

using model::LadderLaunch;
using Numbers = std::vector<std::pair<std::string, std::optional<double>>>;

double as_double(std::int64_t count) {
  return static_cast<double>(count);
}

Numbers one(double number) {
  return {{"", number}};
}

struct Row {
  const char* name;
  const char* unit;
  const char* label;  // the family's own label; empty: none
  const char* help;
  Numbers (*numbers)(const LadderLaunch& launch);
  // if set, the family is a summary with quantiles, and `numbers` is null
  std::optional<model::Summary> LadderLaunch::*times = nullptr;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"latency_seconds", "seconds", "quantile", "Time from the start of a served step to its completion.",
       nullptr, &LadderLaunch::latency_seconds},
      {"submit_seconds", "seconds", "quantile",
       "Host time of a served step, for copies, padding and launches.", nullptr,
       &LadderLaunch::submit_seconds},
      {"response_seconds", "seconds", "quantile",
       "Time from the intended arrival of a step to its completion.", nullptr,
       &LadderLaunch::response_seconds},
      {"hit_ratio", "ratio", "", "Share of steps that a captured graph served.",
       [](const LadderLaunch& of) { return one(of.hit_rate); }},
      {"steps", "steps", "how", "Number of steps, by how they were served.",
       [](const LadderLaunch& of) {
         return Numbers{{"exact", as_double(of.steps.exact)},
                        {"padded", as_double(of.steps.padded)},
                        {"eager_below", as_double(of.steps.eager_below)},
                        {"eager_beyond", as_double(of.steps.eager_beyond)},
                        {"captured_now", as_double(of.steps.captured_now)},
                        {"warming", as_double(of.steps.warming)}};
       }},
      {"padding_waste_ratio", "ratio", "", "Share of padding among all rows that ran in graphs.",
       [](const LadderLaunch& of) { return one(of.padding.waste); }},
      {"busy_seconds", "seconds", "", "Total time of all served steps.",
       [](const LadderLaunch& of) { return one(of.busy_seconds); }},
      {"rows_per_second", "rows per second", "", "Callers' rows (no padding) per second of total step time.",
       [](const LadderLaunch& of) { return one(of.rows_per_second); }},
      {"stall_seconds", "seconds", "", "Time spent on captures inside requests.",
       [](const LadderLaunch& of) { return one(of.stalls.seconds); }},
      {"startup_seconds", "seconds", "stage", "Start-up time, by stage.",
       [](const LadderLaunch& of) {
         return Numbers{{"prepare", of.startup.prepare_seconds},
                        {"warmup", of.startup.warmup_seconds},
                        {"capture", of.startup.capture_seconds},
                        {"instantiate", of.startup.instantiate_seconds},
                        {"upload", of.startup.upload_seconds}};
       }},
      {"memory_bytes", "bytes", "of", "Device memory, by use.",
       [](const LadderLaunch& of) {
         const auto& execs = of.memory.exec_bytes;
         return Numbers{{"pool", as_double(of.memory.pool_bytes)},
                        {"graphs", execs ? std::optional(as_double(*execs)) : std::nullopt},
                        {"static", as_double(of.memory.static_bytes)},
                        {"workspace", as_double(of.memory.workspace_bytes)}};
       }},
  };
  return all;
}

std::vector<prometheus::ClientMetric::Label> labels_of_ladder(const std::string& device,
                                                              const model::Ladder& ladder) {
  std::vector<prometheus::ClientMetric::Label> labels = labels_of({device, ladder.cell});
  const std::size_t traffic = ladder.id.rfind("/traffic-");
  const std::size_t sizes = ladder.id.rfind("/ladder-", traffic);
  labels.push_back({"ladder", ladder.id.substr(sizes + 8, traffic - sizes - 8)});
  labels.push_back({"traffic", ladder.traffic.digest});
  labels.push_back({"role", ladder.role});
  return labels;
}

std::string lines_of(const std::string& name, const Row& row, const std::string& device,
                     const model::Ladder& ladder) {
  const auto labels = labels_of_ladder(device, ladder);
  if (row.times != nullptr) {
    std::vector<model::Summary> launches;
    std::vector<double> p50;
    for (const LadderLaunch& launch : ladder.launches) {
      if (!(launch.*row.times)) continue;
      launches.push_back(*(launch.*row.times));
      p50.push_back(launches.back().p50);
    }
    const std::optional<double> median = statistics::median_or_absent(std::move(p50));
    if (!median || !std::isfinite(*median)) return "";
    prometheus::ClientMetric metric;
    metric.label = labels;
    metric.summary = times_over(
        *median, launches,
        {{0.9, &model::Summary::p90}, {0.99, &model::Summary::p99}, {0.999, &model::Summary::p999}});
    return series_text(name, prometheus::MetricType::Summary, std::move(metric));
  }
  std::map<std::string, std::vector<double>> values;
  for (const LadderLaunch& launch : ladder.launches) {
    for (const auto& [label, number] : row.numbers(launch)) {
      if (number && std::isfinite(*number)) values[label].push_back(*number);
    }
  }
  std::string text;
  for (const auto& [value, of] : values) {
    auto own = labels;
    if (*row.label != '\0') own.push_back({row.label, value});
    text += gauge_text(name, std::move(own), statistics::median(of));
  }
  return text;
}

}  // namespace

const std::vector<FamilyRow>& ladder_families() {
  static const std::vector<FamilyRow> families = [] {
    std::vector<FamilyRow> all;
    for (const Row& row : rows()) {
      FamilyRow family{std::string("graphbench_ladder_") + row.name,
                       row.times != nullptr ? "summary" : "gauge",
                       row.unit,
                       {"CELL", "ladder", "traffic", "role"},
                       row.help};
      if (*row.label != '\0') family.labels.emplace_back(row.label);
      all.push_back(std::move(family));
    }
    return all;
  }();
  return families;
}

std::string ladders_text(const std::string& device, const std::vector<model::Ladder>& ladders) {
  std::string text;
  for (std::size_t i = 0; i < rows().size(); ++i) {
    const FamilyRow& family = ladder_families()[i];
    std::string lines;
    for (const model::Ladder& ladder : ladders) lines += lines_of(family.name, rows()[i], device, ladder);
    if (lines.empty()) continue;
    const bool summary = family.type == "summary";
    text += head_text(family.name, family.help,
                      summary ? prometheus::MetricType::Summary : prometheus::MetricType::Gauge) +
            lines;
  }
  return text;
}

}  // namespace graphbench::reporters
