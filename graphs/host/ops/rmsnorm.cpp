// rmsnorm reads each row twice: first for the mean square, then to scale the row. Its gradients compute each
// row's scale again from x, so that the forward pass need not store it.
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/sums.hpp"

namespace graphbench::host {
namespace {

struct Rows {
  Matrix shape;
  float epsilon;

  explicit Rows(const ir::OpCall& call)
      : shape{call.input(0).dims.at(0), call.input(0).dims.at(1)},
        epsilon(static_cast<float>(ir::real_attribute(*call.op, "eps"))) {}

  template <typename T>
  void grad_input(const T* dy, const T* x, const T* gamma, const T* so_far, T* dx) const {
    const float scale = row_scale(x, shape.columns, epsilon);
    const float projection = sum_in_lanes(
        shape.columns, [&](std::int64_t c) { return to_float(dy[c]) * to_float(gamma[c]) * to_float(x[c]); });
    const float pull = scale * scale * (projection / static_cast<float>(shape.columns));
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      const float gradient = scale * (to_float(dy[c]) * to_float(gamma[c]) - to_float(x[c]) * pull);
      dx[c] = from_float<T>(gradient + (so_far == nullptr ? 0.0f : to_float(so_far[c])));
    }
  }

  template <typename Each>
  void for_each(const Each& each) const {
    parallel_for(shape.rows, 1 + 16 * 1024 / shape.columns, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) each(r);
    });
  }
};

}  // namespace

std::unique_ptr<OpImplementation> make_rmsnorm(const ir::OpCall& call, ScratchArena&) {
  return for_float_type(call.output(0).dtype, [&](auto element) {
    using T = decltype(element);
    return direct_op(call, [rows = Rows(call)](void* const* operands) {
      const T* gamma = static_cast<const T*>(operands[1]);
      const std::int64_t columns = rows.shape.columns;
      rows.for_each([&](std::int64_t r) {
        const T* x = static_cast<const T*>(operands[0]) + r * columns;
        T* y = static_cast<T*>(operands[2]) + r * columns;
        const float scale = row_scale(x, columns, rows.epsilon);
        for (std::int64_t c = 0; c < columns; ++c)
          y[c] = from_float<T>(to_float(x[c]) * scale * to_float(gamma[c]));
      });
    });
  });
}

std::unique_ptr<OpImplementation> make_rmsnorm_grad_input(const ir::OpCall& call, ScratchArena&) {
  const bool accumulates = call.input_count == 4;
  return for_float_type(call.output(0).dtype, [&](auto element) {
    using T = decltype(element);
    const auto compute = [rows = Rows(call), accumulates](void* const* operands) {
      const T* dy = static_cast<const T*>(operands[0]);
      const T* x = static_cast<const T*>(operands[1]);
      const T* gamma = static_cast<const T*>(operands[2]);
      const T* so_far = accumulates ? static_cast<const T*>(operands[3]) : nullptr;
      T* dx = static_cast<T*>(operands[accumulates ? 4 : 3]);
      rows.for_each([&](std::int64_t r) {
        const std::int64_t at = r * rows.shape.columns;
        rows.grad_input(dy + at, x + at, gamma, so_far == nullptr ? nullptr : so_far + at, dx + at);
      });
    };
    return direct_op(call, compute, accumulates ? 3 : 0);
  });
}

std::unique_ptr<OpImplementation> make_rmsnorm_grad_weight(const ir::OpCall& call, ScratchArena& scratch) {
  const Rows rows(call);
  const bool accumulates = call.input_count == 3;
  auto* const scales = reinterpret_cast<float*>(  // one per row
      scratch.reserve(static_cast<std::size_t>(rows.shape.rows) * sizeof(float)));
  return for_float_type(call.output(0).dtype, [&](auto element) {
    using T = decltype(element);
    const auto compute = [rows, accumulates, scales](void* const* operands) {
      const T* dy = static_cast<const T*>(operands[0]);
      const T* x = static_cast<const T*>(operands[1]);
      const T* so_far = accumulates ? static_cast<const T*>(operands[2]) : nullptr;
      const std::int64_t columns = rows.shape.columns;
      rows.for_each([&](std::int64_t r) { scales[r] = row_scale(x + r * columns, columns, rows.epsilon); });
      sum_columns(rows.shape, so_far, static_cast<T*>(operands[accumulates ? 3 : 2]),
                  [=](std::int64_t r, std::int64_t c) {
                    return to_float(dy[r * columns + c]) * to_float(x[r * columns + c]) * scales[r];
                  });
    };
    return direct_op(call, compute, accumulates ? std::optional<std::size_t>(2) : std::nullopt);
  });
}

}  // namespace graphbench::host
