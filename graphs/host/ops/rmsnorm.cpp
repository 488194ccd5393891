// rmsnorm: each row is read twice, once for its mean square and once to be scaled.
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/sums.hpp"

namespace graphbench::host {

std::unique_ptr<OpImplementation> make_rmsnorm(const ir::OpCall& call, ScratchArena&) {
  const std::int64_t rows = call.input(0).dims.at(0), columns = call.input(0).dims.at(1);
  const auto epsilon = static_cast<float>(ir::real_attribute(*call.op, "eps"));
  return for_float_type(call.output(0).dtype, [&](auto element) {
    using T = decltype(element);
    return direct_op(call, [rows, columns, epsilon](void* const* operands) {
      const T* gamma = static_cast<const T*>(operands[1]);
      parallel_for(rows, 1 + 16 * 1024 / columns, [=](std::int64_t first, std::int64_t last) {
        for (std::int64_t r = first; r < last; ++r) {
          const T* x = static_cast<const T*>(operands[0]) + r * columns;
          T* y = static_cast<T*>(operands[2]) + r * columns;
          const float scale = row_scale(x, columns, epsilon);
          for (std::int64_t c = 0; c < columns; ++c)
            y[c] = from_float<T>(to_float(x[c]) * scale * to_float(gamma[c]));
        }
      });
    });
  });
}

}  // namespace graphbench::host
