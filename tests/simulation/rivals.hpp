// Rules in wide use, on samples of sweeps in which nothing changed.
#pragma once

#include <cstdint>
#include <vector>

namespace graphbench::simulation {

// Two-sided p of the rank-sum test in its normal approximation; pools as naive tools do. `base` and
// `now` are sorted.
double mann_whitney_p(const std::vector<double>& base, const std::vector<double>& now);

// Shares of comparisons in which a rule says of any of 48 cells that it is slower.
struct RivalAlarms {
  double mann_whitney = 0;  // on pooled samples, p < 0.05 and the median slower
  double threshold = 0;     // the median slower by 5 %
};

// Five launches a side of 100 samples each: they spread by `sigma`, samples within one by half a percent.
RivalAlarms rival_alarms(double sigma, std::int64_t comparisons, std::uint64_t seed);

}  // namespace graphbench::simulation
