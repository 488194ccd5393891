// column_sum: over every dimension but the last.
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/sums.hpp"

namespace graphbench::host {

std::unique_ptr<OpImplementation> make_column_sum(const ir::OpCall& call, ScratchArena&) {
  const std::int64_t columns = call.output(0).elements();
  const Matrix shape{call.input(0).elements() / columns, columns};
  const bool accumulates = call.input_count == 2;
  return for_float_type(call.output(0).dtype, [&](auto element) {
    using T = decltype(element);
    const auto compute = [shape, accumulates](void* const* operands) {
      const T* x = static_cast<const T*>(operands[0]);
      const T* so_far = accumulates ? static_cast<const T*>(operands[1]) : nullptr;
      sum_columns(shape, so_far, static_cast<T*>(operands[accumulates ? 2 : 1]),
                  [&](std::int64_t r, std::int64_t c) { return to_float(x[r * shape.columns + c]); });
    };
    return direct_op(call, compute, accumulates ? std::optional<std::size_t>(1) : std::nullopt);
  });
}

}  // namespace graphbench::host
