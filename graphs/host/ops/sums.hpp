// Sums along rows, down columns and over many elements. The order of additions depends only on the shape.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/bfloat16.hpp"
#include "graphs/host/ops/direct_op.hpp"

namespace graphbench::host {

// Adds term(0) to term(columns - 1) in a fixed number of lanes, so that the loop vectorises and the order of
// additions never changes.
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

struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// out[c] = sum over rows of term(row, c), plus so_far[c] if so_far is not null. Adds rows in blocks, so that
// the bound of the rounding error grows with rows / 128, not with rows.
template <typename T, typename Term>
void sum_columns(const Matrix& shape, const T* so_far, T* out, const Term& term) {
  constexpr std::int64_t columns_at_once = 64;
  constexpr std::int64_t rows_a_block = 128;
  const std::int64_t grain = 1 + 16 * 1024 / shape.rows;
  parallel_for(shape.columns, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t begin = first; begin < last; begin += columns_at_once) {
      const std::int64_t width = std::min(columns_at_once, last - begin);
      float total[columns_at_once] = {};
      for (std::int64_t r = 0; r < shape.rows;) {
        float block[columns_at_once] = {};
        for (const std::int64_t end = std::min(r + rows_a_block, shape.rows); r < end; ++r) {
          for (std::int64_t i = 0; i < width; ++i) block[i] += term(r, begin + i);
        }
        for (std::int64_t i = 0; i < width; ++i) total[i] += block[i];
      }
      for (std::int64_t i = 0; i < width; ++i) {
        const float sum = so_far == nullptr ? 0.0f : to_float(so_far[begin + i]);
        out[begin + i] = from_float<T>(total[i] + sum);
      }
    }
  });
}

// Calls part(first, last) on parts of [0, count) with at most `size` elements each, and adds the results.
class SumOfParts {
 public:
  SumOfParts(std::int64_t count, std::int64_t size, ScratchArena& scratch)
      : count_(count),
        size_(size),
        parts_((count + size - 1) / size),
        sums_(reinterpret_cast<float*>(scratch.reserve(static_cast<std::size_t>(parts_) * sizeof(float)))) {}

  template <typename Part>
  float over(std::int64_t grain, const Part& part) const {
    parallel_for(parts_, grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        sums_[i] = part(i * size_, std::min(count_, (i + 1) * size_));
    });
    return sum_in_lanes(parts_, [this](std::int64_t i) { return sums_[i]; });
  }

 private:
  std::int64_t count_;
  std::int64_t size_;
  std::int64_t parts_;
  float* sums_;
};

}  // namespace graphbench::host
