// dropout: each element kept or not by its own random word, which the step's count and the op's stream give.
#include <algorithm>

#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/parallel.hpp"
#include "graphs/ir/philox.hpp"

namespace graphbench::host {

std::unique_ptr<OpImplementation> make_dropout(const ir::OpCall& call, ScratchArena&) {
  const ir::DropoutRule rule(ir::real_attribute(*call.op, "p"), ir::integer_attribute(*call.op, "stream"));
  const std::int64_t elements = call.input(0).elements();
  return for_float_type(call.input(0).dtype, [&](auto element) {
    using T = decltype(element);
    const auto compute = [rule, elements](void* const* operands) {
      const T* x = static_cast<const T*>(operands[0]);
      const std::int32_t count = *static_cast<const std::int32_t*>(operands[1]);
      T* y = static_cast<T*>(operands[2]);
      parallel_for((elements + 3) / 4, 1024, [=](std::int64_t first, std::int64_t last) {
        for (std::int64_t four = first; four < last; ++four) {
          const ir::FourWords words = rule.words(four, count);
          for (std::int64_t i = 4 * four; i < std::min(4 * four + 4, elements); ++i)
            y[i] = from_float<T>(rule.apply(to_float(x[i]), words.word[i % 4]));
        }
      });
    };
    return direct_op(call, compute, 0);
  });
}

}  // namespace graphbench::host
