// Simulates series. Each series has its own seed, so the rates do not depend on how threads share the work.
#include "tests/simulation/series_model.hpp"

#include <cmath>
#include <future>
#include <random>
#include <utility>
#include <vector>

#include "harness/judge/history/history.hpp"

namespace graphbench::simulation {
namespace {

// Draws a random number with variance 1.
double innovation(std::mt19937_64& random, bool heavy_tail) {
  if (!heavy_tail) return std::normal_distribution<double>()(random);
  const double size = std::exponential_distribution<double>(std::sqrt(2.0))(random);
  return random() % 2 == 0 ? size : -size;
}

judge::CellHistory show(const NightlySeries& what, std::uint64_t seed) {
  constexpr double spread = 0.01;
  std::mt19937_64 random(seed);
  std::vector<judge::HistoryPoint> points;
  double state = innovation(random, what.heavy_tail);
  for (std::int64_t i = 0; i < what.entries; ++i) {
    if (i > 0) {
      state = what.correlation * state +
              std::sqrt(1 - what.correlation * what.correlation) * innovation(random, what.heavy_tail);
    }
    judge::HistoryPoint& point = points.emplace_back();
    point.median =
        1e-3 * std::exp(spread * state) * (what.step != 0 && i >= what.step_at ? 1 + what.step : 1);
  }
  return judge::make_series("cell", model::Metric::latency, std::move(points), {});
}

SeriesRates counts_of(const NightlySeries& what, std::int64_t count, std::uint64_t seed, std::int64_t first,
                      std::int64_t every) {
  SeriesRates counts;
  for (std::int64_t i = first; i < count; i += every) {
    const judge::CellHistory shown = show(what, seed * 1'000'003 + static_cast<std::uint64_t>(i));
    bool found = false;
    for (const judge::ChangePoint& change : shown.changes)
      found = found || std::abs(change.index - what.step_at) <= 1;
    counts.changed += shown.changes.empty() ? 0 : 1;
    counts.found += found ? 1 : 0;
    counts.correlation += shown.correlation.value_or(0);
  }
  return counts;
}

}  // namespace

SeriesRates rates_of(const NightlySeries& what, std::int64_t count, std::uint64_t seed, int threads) {
  std::vector<std::future<SeriesRates>> parts;
  for (int i = 0; i < threads; ++i)
    parts.push_back(std::async(std::launch::async, counts_of, what, count, seed, i, threads));
  SeriesRates rates;
  const auto all = static_cast<double>(count);
  for (std::future<SeriesRates>& part : parts) {
    const SeriesRates counts = part.get();
    rates.changed += counts.changed / all;
    rates.found += counts.found / all;
    rates.correlation += counts.correlation / all;
  }
  return rates;
}

}  // namespace graphbench::simulation
