// rmsnorm: each row is read twice, once for its mean square and once to be scaled.
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/parallel.hpp"
#include "graphs/host/ops/row_scale.hpp"

namespace graphbench::host {
namespace {

template <typename T>
class RmsNorm final : public DirectOp {
 public:
  explicit RmsNorm(const ir::OpCall& call)
      : DirectOp(3),
        rows_(call.input(0).dims.at(0)),
        columns_(call.input(0).dims.at(1)),
        epsilon_(static_cast<float>(ir::real_attribute(*call.op, "eps"))) {}

 protected:
  void compute(void* const* operands) override {
    const T* x = static_cast<const T*>(operands[0]);
    const T* gamma = static_cast<const T*>(operands[1]);
    T* y = static_cast<T*>(operands[2]);
    parallel_for(rows_, 1 + 16 * 1024 / columns_, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) normalise(x + r * columns_, gamma, y + r * columns_);
    });
  }

 private:
  void normalise(const T* x, const T* gamma, T* y) const {
    const float scale = row_scale(x, columns_, epsilon_);
    for (std::int64_t c = 0; c < columns_; ++c)
      y[c] = from_float<T>(to_float(x[c]) * scale * to_float(gamma[c]));
  }

  std::int64_t rows_;
  std::int64_t columns_;
  float epsilon_;
};

}  // namespace

std::unique_ptr<OpImplementation> make_rmsnorm(const ir::OpCall& call, ScratchArena&) {
  if (call.output(0).dtype == ir::DType::bf16) return std::make_unique<RmsNorm<BFloat16>>(call);
  return std::make_unique<RmsNorm<float>>(call);
}

}  // namespace graphbench::host
