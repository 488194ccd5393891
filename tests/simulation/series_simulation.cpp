// graphbench_series_simulation [SERIES [SEED]]: measures how often `history show` reports false changes in
// correlated series, and how often it finds steps. docs/reference/statistics.md summarizes the table.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/simulation/series_model.hpp"

namespace {

using graphbench::simulation::NightlySeries;

struct Row {
  NightlySeries series;
  double changed_max = 1;  // the promised limits of SeriesRates
  double found_min = 0;
};

constexpr Row rows[] = {
    {{12, 0.0}, 0.02},
    {{12, 0.5}, 0.02},
    {{24, 0.0}, 0.02},
    {{24, 0.3}, 0.02},
    {{24, 0.5}, 0.02},
    {{24, 0.7}},
    {{24, 0.5, 0, 0, true}, 0.02},
    {{40, 0.5}, 0.02},
    {{100, 0.0}, 0.02},
    {{100, 0.5}, 0.02},
    {{24, 0.0, 0.05, 12}, 1, 0.9},
    {{24, 0.3, 0.05, 12}, 1, 0.9},
    {{24, 0.5, 0.05, 12}, 1, 0.9},
    {{24, 0.0, 0.05, 18}, 1, 0.9},
    {{24, 0.5, 0.05, 18}, 1, 0.9},
    {{24, 0.0, 0.05, 20}},
    {{40, 0.0, 0.05, 30}, 1, 0.9},
    {{40, 0.0, 0.03, 30}},
    {{40, 0.0, 0.02, 30}},
    {{40, 0.5, 0.03, 30}},
};

std::string name_of(const NightlySeries& series) {
  std::string name = fmt::format("{} entries{}", series.entries, series.heavy_tail ? ", heavy tails" : "");
  if (series.step != 0) name += fmt::format(", {:.0f} % step at {}", 100 * series.step, series.step_at);
  return name;
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2000;
  const long seed = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1;
  if (count <= 0 || seed < 0 || argc > 3) {
    std::fputs("usage: graphbench_series_simulation [SERIES [SEED]]\n", stderr);
    return 2;
  }
  std::printf("%ld series a row, seed %ld, spread 1 %%\n\n", count, seed);
  std::puts("| series | correlation | measured | with a change | step found |");
  std::puts("| --- | --- | --- | --- | --- |");
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool held = true;
  for (const Row& row : rows) {
    const auto rates =
        graphbench::simulation::rates_of(row.series, count, static_cast<std::uint64_t>(seed), threads);
    fmt::print("| {} | {:.1f} | {:.2f} | {:.2f} % | {} |\n", name_of(row.series), row.series.correlation,
               rates.correlation, 100 * rates.changed,
               row.series.step == 0 ? "" : fmt::format("{:.1f} %", 100 * rates.found));
    std::fflush(stdout);
    held = held && rates.changed <= row.changed_max && rates.found >= row.found_min;
  }
  std::puts(held
                ? "\nheld: false changes in at most 2 %, and 5 % steps found in at least 90 %, where promised"
                : "\nNOT HELD");
  return held ? 0 : 1;
}
