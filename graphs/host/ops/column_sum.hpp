// Sums down the columns of a matrix: what gradients of biases and gains are made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphs/host/bfloat16.hpp"
#include "graphs/host/ops/parallel.hpp"

namespace graphbench::host {

struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// out[c] = sum over rows of term(row, c), + so_far[c] where that is not null. Rows are added up in blocks, so
// that rounding grows with the root of their number at most; the order depends on the shape alone.
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

}  // namespace graphbench::host
