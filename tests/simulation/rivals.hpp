// The false alarms of widely used rules, for samples of sweeps in which nothing changed.
#pragma once

#include <cstdint>
#include <vector>

namespace graphbench::simulation {

// The two-sided p-value of the rank-sum test, in its normal approximation. Naive tools apply it to the
// pooled samples of all launches. `base` and `now` must be sorted.
double mann_whitney_p(const std::vector<double>& base, const std::vector<double>& now);

// The shares of comparisons in which a rule calls any of 48 cells slower.
struct RivalAlarms {
  double mann_whitney = 0;  // on pooled samples, p < 0.05 and the median slower
  double threshold = 0;     // the median slower by 5 %
};

// Each side has five launches of 100 samples. Launches spread by `sigma`, samples of a launch by 0.5 %.
RivalAlarms rival_alarms(double sigma, std::int64_t comparisons, std::uint64_t seed);

}  // namespace graphbench::simulation
