// Nightly series whose truth is known, through the code that `graphbench history show` calls.
#pragma once

#include <cstdint>

namespace graphbench::simulation {

// Medians of about 1 ms whose logarithms are a first-order autoregression of spread 1 %.
struct NightlySeries {
  std::int64_t entries = 24;
  double correlation = 0;    // of neighbours
  double step = 0;           // of the level, as a part of it
  std::int64_t step_at = 0;  // the first entry at the new level
  bool heavy_tail = false;   // innovations of a double exponential instead of normal ones
};

struct SeriesRates {
  double changed = 0;      // share of series with any change
  double found = 0;        // with one within one entry of the step
  double correlation = 0;  // measured, on average
};

// The numbers depend on `seed` and not on `threads`.
SeriesRates rates_of(const NightlySeries& what, std::int64_t count, std::uint64_t seed, int threads);

}  // namespace graphbench::simulation
