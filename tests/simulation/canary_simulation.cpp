// graphbench_canary_simulation [FILE [DRAWS [PROCESSES]]]: how often canaries are right. Draws two sets of
// processes, none of them twice, from the document FILE of `graphbench canary --processes 300`, and compares
// them as they are and with a change planted. Without FILE the processes are simulated. Exits 1 if more than
// 1 % of the draws without a change raise an alarm, if a change of 25 % of graph launch is found in less than
// 99 % (of 50 processes or more), or if what a canary says that it would have seen, is found in less than 95
// % of other draws.
#include <fmt/format.h>

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "harness/canary/document.hpp"
#include "harness/canary/judge.hpp"
#include "harness/model/codec/parse_document.hpp"

namespace {

using namespace graphbench::canary;

boost::random::mt19937_64 generator(1);

// One process in five has its floors 15 % higher, as with a worse core or placement.
Canary simulated(std::size_t processes) {
  Canary canary;
  for (const FloorRow& row : floor_rows())
    canary.floors.push_back({std::string(row.name), std::string(row.unit), 0, {}});
  for (std::size_t i = 0; i < processes; ++i) {
    const double common = (i % 5 == 0 ? 0.15 : 0) + boost::random::normal_distribution<>(0, 0.02)(generator);
    for (CanaryFloor& floor : canary.floors)
      floor.values.push_back(1e-6 *
                             std::exp(common + boost::random::normal_distribution<>(0, 0.03)(generator)));
  }
  return canary;
}

struct Sides {
  Canary base;
  Canary now;
};

// `processes` of each floor for each side, by a partial Fisher-Yates shuffle of the processes.
Sides drawn(const Canary& all, std::size_t processes) {
  std::vector<std::size_t> order(all.floors.front().values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < 2 * processes; ++i)
    std::swap(order[i],
              order[boost::random::uniform_int_distribution<std::size_t>(i, order.size() - 1)(generator)]);
  Sides sides;
  for (const CanaryFloor& floor : all.floors) {
    // Where a process lacks a value, the others' order is unknown, and the last ones are left out.
    for (Canary* side : {&sides.base, &sides.now}) side->floors.push_back({floor.name, floor.unit, 0, {}});
    for (std::size_t i = 0; i < 2 * processes; ++i) {
      if (order[i] >= floor.values.size()) continue;
      (i < processes ? sides.base : sides.now).floors.back().values.push_back(floor.values[order[i]]);
    }
  }
  return sides;
}

void plant(Canary& canary, const std::string& name, double ratio) {
  for (double& value : std::ranges::find(canary.floors, name, &CanaryFloor::name)->values) value *= ratio;
}

bool found(const Canary& canary, const std::string& name) {
  const auto floor = std::ranges::find(canary.floors, name, &CanaryFloor::name);
  return floor->change && floor->change->slower;
}

// The share of draws in which the planted change of a floor is found.
double power(const std::vector<Sides>& draws, const std::string& name, double ratio) {
  int hits = 0;
  for (Sides sides : draws) {
    std::erase_if(sides.base.floors, [&](const CanaryFloor& floor) { return floor.name != name; });
    plant(sides.now, name, ratio);
    compare(sides.base, sides.now, 0);
    hits += found(sides.now, name);
  }
  return static_cast<double>(hits) / static_cast<double>(draws.size());
}

// The least change that is found in 99 % of the draws, to half a percent.
double least(const std::vector<Sides>& draws, const std::string& name) {
  double low = 1, high = 4;
  if (power(draws, name, high) < 0.99) return INFINITY;
  while (high - low > 0.005) {
    const double middle = (low + high) / 2;
    (power(draws, name, middle) >= 0.99 ? high : low) = middle;
  }
  return high - 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 2 ? std::atoi(argv[2]) : 2000;
  const int said_draws = std::min(count, 200);  // takes long
  const auto processes = static_cast<std::size_t>(argc > 3 ? std::atoi(argv[3]) : 50);
  const bool given = argc > 1 && argv[1][0] != '\0';
  const Canary all =
      given ? read_canary(graphbench::model::read_text(argv[1]).view(), argv[1]) : simulated(300);
  if (all.floors.empty() || all.floors.front().values.size() < 2 * processes) {
    fmt::print(stderr, "the document has too few processes: record at least {}\n", 2 * processes);
    return 2;
  }
  int alarms = 0, blind = 0;
  std::vector<double> visible;  // of graph launch, by draw
  std::vector<Sides> draws;
  for (int i = 0; i < count; ++i) {
    Sides& sides = draws.emplace_back(drawn(all, processes));
    Sides compared = sides;
    compare(compared.base, compared.now, i < said_draws ? 200 : 0);
    alarms += compared.now.verdict == Verdict::slower;
    if (i >= said_draws) continue;
    blind += compared.now.verdict == Verdict::blind;
    const auto floor = std::ranges::find(compared.now.floors, "graph_launch", &CanaryFloor::name);
    visible.push_back(floor->change ? floor->change->visible : 0);
  }
  int seen = 0;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    Sides other = draws[(i + 1) % draws.size()];
    plant(other.now, "graph_launch", 1 + visible[i]);
    compare(other.base, other.now, 0);
    seen += found(other.now, "graph_launch");
  }
  const double seen_share = static_cast<double>(seen) / said_draws;
  const double alarm_share = static_cast<double>(alarms) / count;
  const double hits = power(draws, "graph_launch", 1.25);
  fmt::print("{} draws of two times {} from {} processes\n", count, processes,
             all.floors.front().values.size());
  fmt::print("alarms without a change {:.2f} %, blind {:.2f} %\n", 100 * alarm_share,
             100.0 * blind / said_draws);
  fmt::print("graph launch 25 % slower: found in {:.2f} %\n", 100 * hits);
  fmt::print("graph launch: said to be visible {:.1f} % (mean), which is found in {:.0f} % of other draws\n",
             100 * std::accumulate(visible.begin(), visible.end(), 0.0) / said_draws, 100 * seen_share);
  draws.resize(std::min<std::size_t>(draws.size(), 400));
  fmt::print("{:<30} {:>34}\n", "floor", "least change found in 99 % of draws");
  for (const CanaryFloor& floor : all.floors) {
    const double change = least(draws, floor.name);
    const auto row = std::ranges::find(floor_rows(), floor.name, &FloorRow::name);
    fmt::print("{:<30} {:>34}\n", row->label,
               std::isfinite(change) ? fmt::format("{:.1f} %", 100 * change) : "none up to 300 %");
  }
  const bool passed = alarm_share <= 0.01 && (hits >= 0.99 || processes < 50) && seen_share >= 0.95;
  fmt::print("{}\n", passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
