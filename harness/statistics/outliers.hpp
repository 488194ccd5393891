// Which of many that should be alike take longer than the others.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace graphbench::statistics {

// All of logarithms.
struct SlowOnes {
  std::vector<double> p;  // of each value: that one like the others is so large or larger
  double spread = 0;      // standard deviation of those alike
  double threshold = 0;   // above the mean of those alike one is an outlier
  double centre = 0;      // that mean
  double detectable = 0;  // what, added to one, is found in nine cases of ten
};

// Each value against the mean and standard deviation of the others that are alike: for normal values exactly
// Student's t (the externally studentized residual of Grubbs, Technometrics 11, 1969). An outlier has
// p < `alpha`, so with alpha = rate / values.size() at most that rate of fleets without one has one
// (Bonferroni). Who is alike is decided as by Rosner's generalized test (Technometrics 25, 1983), but from
// the inside: it begins with median and MAD, which half of the values cannot move, and those alike are
// estimated again until none joins or leaves, because the MAD alone finds less. Spreads below log_spread_min
// count as that. Absent for fewer than three values.
std::optional<SlowOnes> slow_ones(std::span<const double> values, double alpha);

// 1.4826 times the median distance from the median: the standard deviation of normal values. Not empty.
double robust_deviation(const std::vector<double>& values);

}  // namespace graphbench::statistics
