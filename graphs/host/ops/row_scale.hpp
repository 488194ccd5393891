// What rmsnorm and its gradients share: sums along a row, and the row's scale.
#pragma once

#include <cmath>
#include <cstdint>

#include "graphs/host/bfloat16.hpp"

namespace graphbench::host {

// Partial sums in fixed lanes: an order of addition that vectorises and never changes.
template <typename Term>
float sum_in_lanes(std::int64_t columns, const Term& term) {
  constexpr int lanes = 16;
  float partial[lanes] = {};
  std::int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    for (int lane = 0; lane < lanes; ++lane) partial[lane] += term(c + lane);
  }
  float sum = 0.0f;
  for (; c < columns; ++c) sum += term(c);
  for (const float lane : partial) sum += lane;
  return sum;
}

// rsqrt(mean(x^2) + epsilon)
template <typename T>
float row_scale(const T* x, std::int64_t columns, float epsilon) {
  const float squares =
      sum_in_lanes(columns, [x](std::int64_t c) { return to_float(x[c]) * to_float(x[c]); });
  return 1.0f / std::sqrt(squares / static_cast<float>(columns) + epsilon);
}

}  // namespace graphbench::host
