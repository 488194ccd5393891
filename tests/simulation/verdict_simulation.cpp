// graphbench_verdict_simulation [COMPARISONS [SEED]]: false alarms of `compare` and what it misses, beside
// two rules in wide use on the same data. The table in docs/comparing.md is its output.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/simulation/power.hpp"
#include "tests/simulation/scenarios.hpp"

namespace {

using graphbench::simulation::Rates;
using graphbench::simulation::Row;

std::string rates_text(const Row& row, const Rates& rates) {
  const std::string alarms = fmt::format("{:.2f} %", 100 * rates.any_slower);
  return row.scenario.planted_cells == 0 ? alarms
                                         : fmt::format("{} (found {:.1f} %)", alarms, 100 * rates.found);
}

}  // namespace

int main(int argc, char** argv) {
  const long comparisons = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2000;
  const long seed = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1;
  if (comparisons <= 0 || seed < 0 || argc > 3) {
    std::fputs("usage: graphbench_verdict_simulation [COMPARISONS [SEED]]\n", stderr);
    return 2;
  }
  std::printf(
      "%ld comparisons of a sweep of 48 cells a row, seed %ld; share with any unchanged metric slower\n\n",
      comparisons, seed);
  std::puts("| what | sigma | launches a side | graphbench | Mann-Whitney on samples | 5 % threshold |");
  std::puts("| --- | --- | --- | --- | --- | --- |");
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool held = true;
  std::vector<Row> rows = graphbench::simulation::scenarios();
  for (Row& row : rows) {
    graphbench::simulation::run(row, comparisons, static_cast<std::uint64_t>(seed), threads);
    fmt::print("| {}{} | {:.1f} % | {} | {} | {} | {} |\n", row.scenario.name, row.held ? "" : " (*)",
               100 * row.scenario.sigma, row.scenario.launches, rates_text(row, row.ours),
               rates_text(row, row.mann_whitney), rates_text(row, row.threshold));
    std::fflush(stdout);
    held = held && (!row.held || row.ours.any_slower <= 0.01);
  }
  std::puts("\n| launches a side | what `finds` says, found by a fresh comparison |");
  std::puts("| --- | --- |");
  for (const long launches : {2, 3, 5, 10, 20}) {
    fmt::print("| {} | {:.0f} % |\n", launches,
               100 * graphbench::simulation::power_of_detectable(launches, 10 * comparisons,
                                                                 static_cast<std::uint64_t>(seed)));
  }
  std::puts("\n(*) not promised: see docs/comparing.md");
  std::puts(held ? "held: at most 1 % in every other row of the first table"
                 : "NOT HELD: more than 1 % in a row");
  return held ? 0 : 1;
}
