// Nightly series whose true changes are known, judged by the code that `graphbench history show` calls.
#pragma once

#include <cstdint>

namespace graphbench::simulation {

// Medians of about 1 ms. Their logarithms are a first-order autoregression with standard deviation 0.01.
struct NightlySeries {
  std::int64_t entries = 24;
  double correlation = 0;    // lag-one autocorrelation of the logarithms
  double step = 0;           // the relative change of the level at step_at; 0: none
  std::int64_t step_at = 0;  // the first entry at the new level
  bool heavy_tail = false;   // innovations have a double exponential distribution, not a normal one
};

struct SeriesRates {
  double changed = 0;      // share of series with any change
  double found = 0;        // share of series with a change at most one entry from the step
  double correlation = 0;  // the mean of the measured autocorrelations
};

// The numbers depend on `seed` and not on `threads`.
SeriesRates rates_of(const NightlySeries& what, std::int64_t count, std::uint64_t seed, int threads);

}  // namespace graphbench::simulation
