// graphbench_breakeven_coverage DOCUMENT [LAUNCHES [DRAWS [SEED]]]: measures how often the 95 % interval of
// a break-even contains the break-even of all launches. The interval is of LAUNCHES launches, drawn from all
// with replacement. `before` is the rule of plan.method 2: the first placement's setup without warmups, over
// the gain's interval.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "graphs/base/files.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/statistics/setup_cost.hpp"
#include "harness/model/vocabulary.hpp"

namespace {

using namespace graphbench;

struct Breakeven {
  double steps;
  std::optional<double> low;
  std::optional<double> high;

  bool holds(double all) const { return low && *low <= all && all <= *high; }
};

// A graph mode's cell and its eager cell, with their summaries. The eager cell is first.
using Pair = std::vector<model::CellResult>;

std::optional<Breakeven> after(const Pair& pair) {
  const model::CellSummary& summary = pair.back().summary;
  if (!summary.breakeven_steps) return std::nullopt;
  return Breakeven{*summary.breakeven_steps, summary.breakeven_ci95_low, summary.breakeven_ci95_high};
}

std::optional<Breakeven> before(const Pair& pair) {
  const model::CellSummary& summary = pair.back().summary;
  const double own = summary.latency_seconds->p50;
  const double saved = pair.front().summary.latency_seconds->p50 - own;
  if (saved <= 0 || model::may_be_no_gain(summary)) return std::nullopt;
  std::vector<double> setups;
  for (const model::Launch& launch : pair.back().launches)
    setups.push_back(model::setup_seconds(launch.setup));
  const double setup = model::median(setups);
  Breakeven even{std::ceil(setup / saved), std::nullopt, std::nullopt};
  if (!summary.speedup_ci95_low || *summary.speedup_ci95_low <= 1) return even;
  even.low = std::ceil(setup / (own * (*summary.speedup_ci95_high - 1)));
  even.high = std::ceil(setup / (own * (*summary.speedup_ci95_low - 1)));
  return even;
}

using Rule = std::optional<Breakeven> (*)(const Pair& pair);

// Draws launches with replacement, the same ones for both cells. pairs_of() has removed their samples.
Pair drawn(const Pair& all, std::size_t launches, std::mt19937_64& random) {
  Pair pair = all;
  for (model::CellResult& cell : pair) cell.launches.clear();
  std::uniform_int_distribution<std::size_t> any(0, all.front().launches.size() - 1);
  for (std::size_t i = 0; i < launches; ++i) {
    const std::size_t from = any(random);
    for (std::size_t side = 0; side < pair.size(); ++side) {
      pair[side].launches.push_back(all[side].launches[from]);
      pair[side].launches.back().index = static_cast<std::int64_t>(i);
    }
  }
  model::summarize_cells(pair);
  return pair;
}

struct Coverage {
  std::vector<double> cells;  // of each cell, the share of intervals that contain its break-even
  std::string least;          // the cell with the smallest share
  double absent = 0;          // the share of draws that gave no interval
};

// Prints a row of the table. The row is of the cells that have a break-even over all launches.
void print_row(const char* name, const Coverage& coverage) {
  const auto below = std::ranges::count_if(coverage.cells, [](double share) { return share < 0.9; });
  fmt::print("| {} | {} | {:.0f} % | {:.0f} % ({}) | {} | {:.1f} % |\n", name, coverage.cells.size(),
             100 * model::median(coverage.cells), 100 * std::ranges::min(coverage.cells), coverage.least,
             below, 100 * coverage.absent);
}

std::vector<Pair> pairs_of(const model::Result& result) {
  std::map<std::string, const model::CellResult*> cells;
  for (const model::CellResult& cell : result.cells) cells[model::id_of(cell.cell)] = &cell;
  std::vector<Pair> pairs;
  for (const model::CellResult& cell : result.cells) {
    if (cell.status != model::CellStatus::ok || !model::is_graph_mode(cell.cell.mode)) continue;
    const auto eager = cells.find(model::id_of(model::reference_of(cell.cell)));
    if (eager == cells.end() || eager->second->launches.size() != cell.launches.size()) continue;
    Pair& pair = pairs.emplace_back(Pair{*eager->second, cell});
    for (model::CellResult& each : pair) {
      for (model::Launch& launch : each.launches) launch.latency_samples.clear();
    }
    model::summarize_cells(pair);
  }
  return pairs;
}

Coverage coverage_of(Rule rule, const std::vector<Pair>& pairs, std::size_t launches, long draws,
                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Coverage coverage;
  long cells = 0;
  for (const Pair& pair : pairs) {
    const std::optional<Breakeven> all = rule(pair);
    if (!all) continue;
    ++cells;
    long holding = 0;
    long intervals = 0;
    for (long i = 0; i < draws; ++i) {
      const std::optional<Breakeven> some = rule(drawn(pair, launches, random));
      if (!some || !some->low) continue;
      ++intervals;
      if (some->holds(all->steps)) ++holding;
    }
    coverage.absent += static_cast<double>(draws - intervals);
    if (intervals == 0) continue;
    coverage.cells.push_back(static_cast<double>(holding) / static_cast<double>(intervals));
    if (coverage.cells.back() == std::ranges::min(coverage.cells))
      coverage.least = model::id_of(pair.back().cell);
  }
  coverage.absent /= static_cast<double>(draws) * static_cast<double>(std::max<long>(cells, 1));
  return coverage;
}

void print_growth(const std::vector<Pair>& pairs) {
  std::vector<double> growth;
  for (const Pair& pair : pairs) {
    const auto was = before(pair);
    const auto is = after(pair);
    if (was && is) growth.push_back(is->steps / was->steps);
  }
  fmt::print("\nWith warmups and later setups a break-even is {:.1f} times what it was (at most {:.1f}).\n",
             model::median(growth), std::ranges::max(growth));
}

}  // namespace

int main(int argc, char** argv) {
  const long launches = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 5;
  const long draws = argc > 3 ? std::strtol(argv[3], nullptr, 10) : 1000;
  const long seed = argc > 4 ? std::strtol(argv[4], nullptr, 10) : 1;
  if (argc < 2 || argc > 5 || launches < 3 || draws <= 0) {
    std::fputs("usage: graphbench_breakeven_coverage DOCUMENT [LAUNCHES [DRAWS [SEED]]]\n", stderr);
    return 2;
  }
  try {
    constexpr std::size_t bytes_max = std::size_t{1} << 28;
    const WholeFile file = read_whole_file(argv[1], bytes_max);
    if (!file.why_not.empty()) throw std::runtime_error(std::string(argv[1]) + " " + file.why_not);
    const std::vector<Pair> pairs = pairs_of(model::read_result(file.text, argv[1]));
    fmt::print("| {} launches | cells | coverage | least | below 90 % | no interval |\n", launches);
    std::puts("| --- | --- | --- | --- | --- | --- |");
    for (const auto& [name, rule] : {std::pair<const char*, Rule>{"before", before}, {"after", after}}) {
      print_row(name, coverage_of(rule, pairs, static_cast<std::size_t>(launches), draws,
                                  static_cast<std::uint64_t>(seed)));
    }
    print_growth(pairs);
  } catch (const std::exception& error) {
    fmt::print(stderr, "graphbench_breakeven_coverage: {}\n", error.what());
    return 1;
  }
}
