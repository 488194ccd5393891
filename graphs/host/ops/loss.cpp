// A loss op computes its value, in fp32, and the gradient with respect to the model's output in one pass.
// The order of additions depends only on the shape.
#include <algorithm>
#include <cmath>

#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/sums.hpp"

namespace graphbench::host {
namespace {

// Writes to dy the gradient with respect to y, one row of the model's output. Returns the row's loss.
template <typename T>
float cross_entropy_row(const T* y, std::int64_t columns, std::int32_t target, float slope, T* dy) {
  float largest = to_float(y[0]);
  for (std::int64_t c = 1; c < columns; ++c) largest = std::max(largest, to_float(y[c]));
  const float sum = sum_in_lanes(columns, [=](std::int64_t c) { return std::exp(to_float(y[c]) - largest); });
  for (std::int64_t c = 0; c < columns; ++c) {
    const float share = std::exp(to_float(y[c]) - largest) / sum;
    dy[c] = from_float<T>(slope * (share - (c == target ? 1.0f : 0.0f)));
  }
  return std::log(sum) - (to_float(y[target]) - largest);
}

float weight_of_each(const ir::OpCall& call, std::int64_t count) {
  return static_cast<float>(ir::real_attribute(*call.op, "scale") / static_cast<double>(count));
}

}  // namespace

std::unique_ptr<OpImplementation> make_mse_loss(const ir::OpCall& call, ScratchArena& scratch) {
  const SumOfParts sum(call.input(0).elements(), 2048, scratch);
  const float weight = weight_of_each(call, call.input(0).elements());
  return for_float_type(call.input(0).dtype, [&](auto element) {
    using T = decltype(element);
    return direct_op(call, [sum, weight, inputs = call.input_count](void* const* operands) {
      const T* y = static_cast<const T*>(operands[0]);
      const T* target = static_cast<const T*>(operands[1]);
      T* dy = static_cast<T*>(operands[inputs + 1]);
      const float slope = 2.0f * weight;
      const float squares = sum.over(8, [=](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
          dy[i] = from_float<T>(slope * (to_float(y[i]) - to_float(target[i])));
        return sum_in_lanes(last - first, [=](std::int64_t i) {
          const float off = to_float(y[first + i]) - to_float(target[first + i]);
          return off * off;
        });
      });
      *static_cast<float*>(operands[inputs]) = weight * squares;
    });
  });
}

std::unique_ptr<OpImplementation> make_cross_entropy_loss(const ir::OpCall& call, ScratchArena& scratch) {
  const std::int64_t rows = call.input(0).dims.at(0), columns = call.input(0).dims.at(1);
  const SumOfParts sum(rows, 1, scratch);
  const float weight = weight_of_each(call, rows);
  return for_float_type(call.input(0).dtype, [&](auto element) {
    using T = decltype(element);
    return direct_op(call, [sum, weight, columns, inputs = call.input_count](void* const* operands) {
      const T* y = static_cast<const T*>(operands[0]);
      const auto* target = static_cast<const std::int32_t*>(operands[1]);
      T* dy = static_cast<T*>(operands[inputs + 1]);
      const float losses = sum.over(1 + 4096 / columns, [=](std::int64_t r, std::int64_t) {
        return cross_entropy_row(y + r * columns, columns, target[r], weight, dy + r * columns);
      });
      *static_cast<float*>(operands[inputs]) = weight * losses;
    });
  });
}

}  // namespace graphbench::host
