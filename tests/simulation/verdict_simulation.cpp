// graphbench_verdict_simulation [COMPARISONS [SEED [NAME]]]: measures the false alarms of `compare`, and the
// changes that it misses. docs/reference/statistics.md summarizes the tables.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/simulation/rivals.hpp"
#include "tests/simulation/scenarios.hpp"

namespace {

using graphbench::simulation::Row;

bool holds(const Row& row) {
  const bool soon = !row.scenario.until_decided || row.found_min == 0 ||
                    (row.launches_median && *row.launches_median <= 12);
  return !row.held || (row.any_slower <= 0.01 && row.found >= row.found_min && soon);
}

// Prints the rates for one number of launches; if `continues`, into the same scenario's table row.
void print(const Row& row, bool continues) {
  const auto& scenario = row.scenario;
  if (!continues) {
    fmt::print("|\n| {}{} | {:.1f} % |", scenario.name, row.held ? "" : " (*)", 100 * scenario.sigma);
  }
  fmt::print("{} {}: {:.2f} %", continues ? "," : "", scenario.launches, 100 * row.any_slower);
  if (scenario.planted_cells > 0) fmt::print(" (found {:.1f} %)", 100 * row.found);
  if (row.launches_median && scenario.until_decided)
    fmt::print(", half of them after {}", *row.launches_median);
  if (!holds(row)) fmt::print(" NOT HELD");
  std::fflush(stdout);
}

void print_rivals_and_power(long comparisons, std::uint64_t seed) {
  const auto rivals = graphbench::simulation::rival_alarms(0.01, comparisons / 10 + 1, seed);
  fmt::print(
      "\nRules in wide use, 48 cells at 1 %, 5 launches: Mann-Whitney on samples {:.0f} %, threshold of 5 % "
      "{:.1f} %\n",
      100 * rivals.mann_whitney, 100 * rivals.threshold);
  std::puts("\n| launches a side | what `finds` says, found by a fresh comparison |\n| --- | --- |");
  for (const long launches : {3, 5, 10, 20}) {
    fmt::print("| {} | {:.0f} % |\n", launches,
               100 * graphbench::simulation::power_of_detectable(launches, comparisons, seed));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long comparisons = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2000;
  const long seed = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1;
  const std::string part = argc > 3 ? argv[3] : "";
  if (comparisons <= 0 || seed < 0 || argc > 4) {
    std::fputs("usage: graphbench_verdict_simulation [COMPARISONS [SEED [PART-OF-A-NAME]]]\n", stderr);
    return 2;
  }
  fmt::print("{} comparisons of a sweep of {} cells a row, seed {}\n\n", comparisons,
             graphbench::simulation::cells, seed);
  std::puts("| what | sigma | launches a side: any unchanged metric slower |");
  fmt::print("| --- | --- | --- ");
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool held = true;
  std::string last;
  for (Row& row : graphbench::simulation::scenarios()) {
    if (row.scenario.name.find(part) == std::string::npos) continue;
    graphbench::simulation::run(row, comparisons, static_cast<std::uint64_t>(seed), threads);
    const std::string name = fmt::format("{} {}", row.scenario.name, row.scenario.sigma);
    print(row, name == last);
    last = name;
    held = held && holds(row);
  }
  std::puts("|");
  if (part.empty()) print_rivals_and_power(comparisons, static_cast<std::uint64_t>(seed));
  std::puts("\n(*) not promised: see docs/reference/statistics.md");
  std::puts(held ? "held" : "NOT HELD");
  return held ? 0 : 1;
}
