// Simulates the scenarios. Each comparison has its own seed, so any thread may run any comparison.
#include "tests/simulation/scenarios.hpp"

#include <algorithm>
#include <initializer_list>
#include <thread>
#include <utility>

namespace graphbench::simulation {
namespace {

// Launches of two speeds, as if the time depended on memory addresses: the distribution has two peaks.
Scenario two_speeds(const char* name, double slow_share) {
  return {.name = name, .sigma = 0.002, .odd_share = slow_share, .odd_change = 0.05};
}

std::vector<Scenario> unchanged() {
  return {{.name = "no change", .sigma = 0.002},
          {.name = "no change", .sigma = 0.01},
          {.name = "no change", .sigma = 0.03},
          {.name = "no change, wild", .sigma = 0.10},
          {.name = "no change, interleaved", .interleaved = true},
          {.name = "launches common to all cells", .sigma = 0.03, .machine_wide = true},
          {.name = "heavy tails", .heavy_tails = true},
          {.name = "heavy tails", .sigma = 0.03, .heavy_tails = true},
          {.name = "heavy tails, interleaved", .sigma = 0.03, .heavy_tails = true, .interleaved = true},
          {.name = "spreads differ between cells", .uneven = 0.7},
          {.name = "spreads differ, heavy tails", .heavy_tails = true, .uneven = 0.7},
          {.name = "drift 1 %, one side after the other", .drift = 0.01},
          {.name = "drift 5 %, interleaved", .drift = 0.05, .interleaved = true},
          two_speeds("one launch in ten 5 % slower", 0.1),
          two_speeds("three launches in ten 5 % slower", 0.3),
          two_speeds("every other launch 5 % slower", 0.5)};
}

Row planted(const char* name, int cells, bool interleaved, double found_min) {
  Row row;
  row.scenario = {.name = name, .interleaved = interleaved, .planted_cells = cells};
  row.scenario.planted_change = 0.05;
  row.found_min = found_min;
  return row;
}

struct Tally {
  std::int64_t any_slower = 0;
  std::int64_t found = 0;
  std::vector<std::int64_t> launches;  // per comparison that found the change: launches until then
};

}  // namespace

std::vector<Row> scenarios() {
  std::vector<Row> rows;
  const auto add = [&](Row row, std::initializer_list<std::int64_t> launches) {
    for (const std::int64_t each : launches) {
      row.scenario.launches = each;
      rows.push_back(row);
    }
  };
  add({two_speeds("one launch in ten 5 % slower", 0.1), false}, {2, 3});
  for (Scenario scenario : unchanged()) {
    add({scenario}, {5, 10, 15, 20});
    scenario.name += ", until decided";
    scenario.until_decided = true;
    add({scenario}, {20});
  }
  for (const bool interleaved : {false, true}) {
    const char* one = interleaved ? "1 cell 5 % slower, interleaved" : "1 cell 5 % slower";
    const char* four = interleaved ? "4 members 5 % slower, interleaved" : "4 members 5 % slower";
    for (const auto& [launches, found_min] : {std::pair{5, 0.0}, {10, 0.80}, {12, 0.95}, {15, 0.99}})
      add(planted(one, 1, interleaved, found_min), {launches});
    add(planted(four, members, interleaved, 0.90), {8});
    Row decided = planted("1 cell 5 % slower, until decided", 1, interleaved, 0.95);
    if (interleaved) decided.scenario.name += ", interleaved";
    decided.scenario.until_decided = true;
    add(decided, {20});
  }
  return rows;
}

void run(Row& row, std::int64_t comparisons, std::uint64_t seed, int threads) {
  std::vector<Tally> tallies(static_cast<std::size_t>(threads));
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      Tally& tally = tallies[static_cast<std::size_t>(t)];
      for (std::int64_t i = t; i < comparisons; i += threads) {
        const Outcome outcome = simulate(row.scenario, seed * 1'000'003 + static_cast<std::uint64_t>(i));
        tally.any_slower += outcome.any_slower ? 1 : 0;
        tally.found += outcome.found;
        if (outcome.launches > 0) tally.launches.push_back(outcome.launches);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  Tally all;
  for (const Tally& tally : tallies) {
    all.any_slower += tally.any_slower;
    all.found += tally.found;
    all.launches.insert(all.launches.end(), tally.launches.begin(), tally.launches.end());
  }
  std::ranges::sort(all.launches);
  const auto half = static_cast<std::size_t>(comparisons / 2);
  if (half < all.launches.size()) row.launches_median = all.launches[half];
  row.any_slower = static_cast<double>(all.any_slower) / static_cast<double>(comparisons);
  const std::int64_t planted = comparisons * row.scenario.planted_cells;
  if (planted > 0) row.found = static_cast<double>(all.found) / static_cast<double>(planted);
}

}  // namespace graphbench::simulation
