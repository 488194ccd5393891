// Scales of the base workloads' weights: activations stay of order one through any number of layers, and
// low-precision values neither overflow nor vanish.
#pragma once

#include <cmath>
#include <cstdint>

#include "workloads/common/build.hpp"

namespace graphbench::workloads {

// Uniform in +-sqrt(3 / fan_in). The variance 1 / fan_in preserves the variance of a unit-variance input.
inline gb_init kept_variance(std::int64_t fan_in) {
  return uniform(std::sqrt(3.0 / static_cast<double>(fan_in)));
}

// For the last weight of a residual branch: `layers` branches of variance 1 / layers sum to order one.
inline gb_init residual_variance(std::int64_t fan_in, std::int64_t layers) {
  return uniform(std::sqrt(3.0 / static_cast<double>(fan_in) / static_cast<double>(layers)));
}

// Norm gains are near one, and biases are small compared with activations. None of them is zero, and no two
// are equal, so an op that drops or swaps values fails the check.
inline gb_init gain() {
  return uniform(0.5, 1.5);
}
inline gb_init small_bias() {
  return uniform(0.1);
}

}  // namespace graphbench::workloads
