// dropout: each element kept or not by its own random word, which the step's count and the op's stream give.
#include <algorithm>

#include "graphs/host/bfloat16.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/parallel.hpp"
#include "graphs/ir/philox.hpp"

namespace graphbench::host {
namespace {

template <typename T>
class Dropout final : public DirectOp {
 public:
  explicit Dropout(const ir::OpCall& call)
      : DirectOp(3),
        rule_(ir::real_attribute(*call.op, "p"), ir::integer_attribute(*call.op, "stream")),
        elements_(call.input(0).elements()) {}

  std::optional<std::size_t> in_place_input() const override { return 0; }

 protected:
  void compute(void* const* operands) override {
    const T* x = static_cast<const T*>(operands[0]);
    const std::int32_t count = *static_cast<const std::int32_t*>(operands[1]);
    T* y = static_cast<T*>(operands[2]);
    parallel_for((elements_ + 3) / 4, 1024, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t four = first; four < last; ++four) {
        const ir::FourWords words = rule_.words(four, count);
        for (std::int64_t i = 4 * four; i < std::min(4 * four + 4, elements_); ++i)
          y[i] = from_float<T>(rule_.apply(to_float(x[i]), words.word[i % 4]));
      }
    });
  }

 private:
  ir::DropoutRule rule_;
  std::int64_t elements_;
};

}  // namespace

std::unique_ptr<OpImplementation> make_dropout(const ir::OpCall& call, ScratchArena&) {
  if (call.input(0).dtype == ir::DType::bf16) return std::make_unique<Dropout<BFloat16>>(call);
  return std::make_unique<Dropout<float>>(call);
}

}  // namespace graphbench::host
