// Makes the Prometheus series of ladders. Published numbers are medians over launches.
#include <cmath>
#include <map>
#include <utility>

#include "harness/ladder/ladder_table.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/sweep/report/series.hpp"

namespace graphbench::ladder {
namespace {

// A launch's numbers, by the value of the family's own label.
using Numbers = std::vector<std::pair<std::string, std::optional<double>>>;

double as_double(std::int64_t count) {
  return static_cast<double>(count);
}

reporters::FamilyRow row_of(const char* name, const char* unit, const char* help) {
  return reporters::gauge_row(std::string("graphbench_ladder_") + name, unit,
                              {"CELL", "ladder", "traffic", "role"}, help);
}

reporters::Family<Ladder> times(const char* name, const char* help,
                                std::optional<model::Summary> LadderLaunch::*times) {
  reporters::FamilyRow row = row_of(name, "seconds", help);
  row.type = "summary";
  row.labels.emplace_back("quantile");
  return {std::move(row), [times](const Ladder& ladder) {
            std::vector<reporters::Series> series;
            std::vector<model::Summary> launches;
            std::vector<double> p50;
            for (const LadderLaunch& launch : ladder.launches) {
              if (!(launch.*times)) continue;
              launches.push_back(*(launch.*times));
              p50.push_back(launches.back().p50);
            }
            if (const auto median = model::median_or_absent(std::move(p50))) {
              series.push_back({{},
                                *median,
                                sweep::times_over(*median, launches,
                                                  {{0.9, &model::Summary::p90},
                                                   {0.99, &model::Summary::p99},
                                                   {0.999, &model::Summary::p999}})});
            }
            return series;
          }};
}

// A family with a series for each value of the label `own`.
reporters::Family<Ladder> parts(const char* name, const char* unit, const char* own, const char* help,
                                Numbers (*numbers)(const LadderLaunch& launch)) {
  reporters::FamilyRow row = row_of(name, unit, help);
  row.labels.emplace_back(own);
  return {std::move(row), [numbers](const Ladder& ladder) {
            std::map<std::string, std::vector<double>> values;
            for (const LadderLaunch& launch : ladder.launches) {
              for (const auto& [label, number] : numbers(launch)) {
                if (number && std::isfinite(*number)) values[label].push_back(*number);
              }
            }
            std::vector<reporters::Series> series;
            for (const auto& [value, of] : values) series.push_back({{value}, model::median(of)});
            return series;
          }};
}

reporters::Family<Ladder> number(const char* name, const char* unit, const char* help,
                                 double (*number)(const LadderLaunch& launch)) {
  return {row_of(name, unit, help), [number](const Ladder& ladder) {
            std::vector<double> values;
            for (const LadderLaunch& launch : ladder.launches) {
              if (const double value = number(launch); std::isfinite(value)) values.push_back(value);
            }
            const auto median = model::median_or_absent(std::move(values));
            return median ? std::vector<reporters::Series>{{{}, *median}} : std::vector<reporters::Series>();
          }};
}

reporters::Labels labels_of_ladder(const std::string& device, const Ladder& ladder) {
  reporters::Labels labels = sweep::labels_of({device, ladder.cell});
  const std::size_t traffic = ladder.id.rfind("/traffic-");
  const std::size_t sizes = ladder.id.rfind("/ladder-", traffic);
  labels.push_back({"ladder", ladder.id.substr(sizes + 8, traffic - sizes - 8)});
  labels.push_back({"traffic", ladder.traffic.digest});
  labels.push_back({"role", ladder.role});
  return labels;
}

}  // namespace

const std::vector<reporters::Family<Ladder>>& ladder_families() {
  static const std::vector<reporters::Family<Ladder>> all = {
      times("latency_seconds", "Time from the start of a served step to its completion.",
            &LadderLaunch::latency_seconds),
      times("submit_seconds", "Host time of a served step, for copies, padding and launches.",
            &LadderLaunch::submit_seconds),
      times("response_seconds", "Time from the intended arrival of a step to its completion.",
            &LadderLaunch::response_seconds),
      number("hit_ratio", "ratio", "Share of steps that a captured graph served.",
             [](const LadderLaunch& of) { return of.hit_rate; }),
      parts("steps", "steps", "how", "Number of steps, by how they were served.",
            [](const LadderLaunch& of) {
              return Numbers{{"exact", as_double(of.steps.exact)},
                             {"padded", as_double(of.steps.padded)},
                             {"eager_below", as_double(of.steps.eager_below)},
                             {"eager_beyond", as_double(of.steps.eager_beyond)},
                             {"captured_now", as_double(of.steps.captured_now)},
                             {"warming", as_double(of.steps.warming)}};
            }),
      number("padding_waste_ratio", "ratio", "Share of padding among all rows that ran in graphs.",
             [](const LadderLaunch& of) { return of.padding.waste; }),
      number("busy_seconds", "seconds", "Total time of all served steps.",
             [](const LadderLaunch& of) { return of.busy_seconds; }),
      number("rows_per_second", "rows per second",
             "Callers' rows (no padding) per second of total step time.",
             [](const LadderLaunch& of) { return of.rows_per_second; }),
      number("stall_seconds", "seconds", "Time spent on captures inside requests.",
             [](const LadderLaunch& of) { return of.stalls.seconds; }),
      parts("startup_seconds", "seconds", "stage", "Start-up time, by stage.",
            [](const LadderLaunch& of) {
              return Numbers{{"prepare", of.startup.prepare_seconds},
                             {"warmup", of.startup.warmup_seconds},
                             {"capture", of.startup.capture_seconds},
                             {"instantiate", of.startup.instantiate_seconds},
                             {"upload", of.startup.upload_seconds}};
            }),
      parts("memory_bytes", "bytes", "of", "Device memory, by use.", [](const LadderLaunch& of) {
        const auto& execs = of.memory.exec_bytes;
        return Numbers{{"pool", as_double(of.memory.pool_bytes)},
                       {"graphs", execs ? std::optional(as_double(*execs)) : std::nullopt},
                       {"static", as_double(of.memory.static_bytes)},
                       {"workspace", as_double(of.memory.workspace_bytes)}};
      })};
  return all;
}

std::string ladders_text(const std::string& device, const std::vector<Ladder>& ladders) {
  reporters::FamilyLines lines;
  for (const Ladder& ladder : ladders)
    reporters::add_lines(lines, ladder_families(), labels_of_ladder(device, ladder), ladder);
  std::string text;
  reporters::append_families(text, ladder_families(), {&lines});
  return text;
}

}  // namespace graphbench::ladder
