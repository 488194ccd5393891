// Each comparison has its own seed, so that threads may share them out as they like.
#include "tests/simulation/scenarios.hpp"

#include <thread>
#include <utility>

namespace graphbench::simulation {
namespace {

Row row(const char* name, double sigma, std::int64_t launches) {
  Row made;
  made.scenario.name = name;
  made.scenario.sigma = sigma;
  made.scenario.launches = launches;
  return made;
}

Row drifting(const char* name, double drift, bool interleaved, std::int64_t launches) {
  Row made = row(name, 0.01, launches);
  made.scenario.drift = drift;
  made.scenario.interleaved = interleaved;
  return made;
}

// Launches of two speeds, as where memory lies one way or the other: the spread is no bell.
Row two_speeds(const char* name, double slow_share, std::int64_t launches) {
  Row made = row(name, 0.002, launches);
  made.scenario.odd_share = slow_share;
  made.scenario.odd_change = 0.05;
  return made;
}

struct Tally {
  std::int64_t any_slower[3] = {};
  std::int64_t found[3] = {};
};

void add(const Outcomes& outcomes, Tally& tally) {
  const Outcome* rules[] = {&outcomes.ours, &outcomes.mann_whitney, &outcomes.threshold};
  for (int rule = 0; rule < 3; ++rule) {
    tally.any_slower[rule] += rules[rule]->any_slower ? 1 : 0;
    tally.found[rule] += rules[rule]->found;
  }
}

}  // namespace

std::vector<Row> scenarios() {
  std::vector<Row> rows;
  for (const std::int64_t launches : {2, 3}) {
    rows.push_back(two_speeds("one launch in ten 5 % slower", 0.1, launches));
    rows.back().held = false;
  }
  for (const std::int64_t launches : {5, 10}) {
    rows.push_back(row("no change", 0.002, launches));
    rows.push_back(row("no change", 0.01, launches));
    rows.push_back(row("no change", 0.03, launches));
    rows.push_back(drifting("drift 1 %, one side after the other", 0.01, false, launches));
    rows.push_back(drifting("drift 1 %, interleaved", 0.01, true, launches));
    rows.push_back(drifting("drift 5 %, interleaved", 0.05, true, launches));
    rows.push_back(drifting("drift 5 %, one side after the other", 0.05, false, launches));
    rows.back().held = false;
    rows.push_back(two_speeds("one launch in ten 5 % slower", 0.1, launches));
    for (const auto& [name, share] : {std::pair{"three launches in ten 5 % slower", 0.3},
                                      std::pair{"every other launch 5 % slower", 0.5}}) {
      rows.push_back(two_speeds(name, share, launches));
      rows.back().held = false;
    }
    rows.push_back(row("no change, wild", 0.10, launches));
    rows.back().held = false;
    Row planted = row("3 cells 5 % slower", 0.01, launches);
    planted.scenario.planted_cells = 3;
    planted.scenario.planted_change = 0.05;
    rows.push_back(planted);
  }
  return rows;
}

void run(Row& row, std::int64_t comparisons, std::uint64_t seed, int threads) {
  std::vector<Tally> tallies(static_cast<std::size_t>(threads));
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (std::int64_t i = t; i < comparisons; i += threads) {
        const std::uint64_t own = seed * 1'000'003 + static_cast<std::uint64_t>(i);
        add(simulate(row.scenario, own), tallies[static_cast<std::size_t>(t)]);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  Rates* rates[] = {&row.ours, &row.mann_whitney, &row.threshold};
  const int planted = row.scenario.planted_cells;
  for (int rule = 0; rule < 3; ++rule) {
    std::int64_t any_slower = 0;
    std::int64_t found = 0;
    for (const Tally& tally : tallies) {
      any_slower += tally.any_slower[rule];
      found += tally.found[rule];
    }
    rates[rule]->any_slower = static_cast<double>(any_slower) / static_cast<double>(comparisons);
    if (planted > 0)
      rates[rule]->found = static_cast<double>(found) / static_cast<double>(comparisons * planted);
  }
}

}  // namespace graphbench::simulation
