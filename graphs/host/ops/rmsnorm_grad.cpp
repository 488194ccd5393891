// rmsnorm's gradients. The scale of each row is computed again from x: that reads x once more, and saves
// nothing between forward and backward.
#include "graphs/host/ops/column_sum.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/row_scale.hpp"

namespace graphbench::host {
namespace {

template <typename T>
class RmsNormGradInput final : public DirectOp {
 public:
  explicit RmsNormGradInput(const ir::OpCall& call, ScratchArena&)
      : DirectOp(call.operands.size()),
        shape_{call.input(0).dims.at(0), call.input(0).dims.at(1)},
        epsilon_(static_cast<float>(ir::real_attribute(*call.op, "eps"))),
        accumulates_(call.input_count == 4) {}

  std::optional<std::size_t> in_place_input() const override { return accumulates_ ? 3u : 0u; }

 protected:
  void compute(void* const* operands) override {
    const T* dy = static_cast<const T*>(operands[0]);
    const T* x = static_cast<const T*>(operands[1]);
    const T* gamma = static_cast<const T*>(operands[2]);
    const T* so_far = accumulates_ ? static_cast<const T*>(operands[3]) : nullptr;
    T* dx = static_cast<T*>(operands[accumulates_ ? 4 : 3]);
    const std::int64_t columns = shape_.columns;
    parallel_for(shape_.rows, 1 + 16 * 1024 / columns, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) {
        const std::int64_t at = r * columns;
        row(dy + at, x + at, gamma, so_far == nullptr ? nullptr : so_far + at, dx + at);
      }
    });
  }

 private:
  void row(const T* dy, const T* x, const T* gamma, const T* so_far, T* dx) const {
    const float scale = row_scale(x, shape_.columns, epsilon_);
    const float projection = sum_in_lanes(shape_.columns, [&](std::int64_t c) {
      return to_float(dy[c]) * to_float(gamma[c]) * to_float(x[c]);
    });
    const float pull = scale * scale * (projection / static_cast<float>(shape_.columns));
    for (std::int64_t c = 0; c < shape_.columns; ++c) {
      const float gradient = scale * (to_float(dy[c]) * to_float(gamma[c]) - to_float(x[c]) * pull);
      dx[c] = from_float<T>(gradient + (so_far == nullptr ? 0.0f : to_float(so_far[c])));
    }
  }

  Matrix shape_;
  float epsilon_;
  bool accumulates_;
};

template <typename T>
class RmsNormGradWeight final : public DirectOp {
 public:
  RmsNormGradWeight(const ir::OpCall& call, ScratchArena& scratch)
      : DirectOp(call.operands.size()),
        shape_{call.input(0).dims.at(0), call.input(0).dims.at(1)},
        epsilon_(static_cast<float>(ir::real_attribute(*call.op, "eps"))),
        accumulates_(call.input_count == 3),
        scales_(reinterpret_cast<float*>(
            scratch.reserve(static_cast<std::size_t>(shape_.rows) * sizeof(float)))) {}

  std::optional<std::size_t> in_place_input() const override {
    return accumulates_ ? std::optional<std::size_t>(2) : std::nullopt;
  }

 protected:
  void compute(void* const* operands) override {
    const T* dy = static_cast<const T*>(operands[0]);
    const T* x = static_cast<const T*>(operands[1]);
    const T* so_far = accumulates_ ? static_cast<const T*>(operands[2]) : nullptr;
    const std::int64_t columns = shape_.columns;
    parallel_for(shape_.rows, 1 + 16 * 1024 / columns, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) scales_[r] = row_scale(x + r * columns, columns, epsilon_);
    });
    sum_columns(shape_, so_far, static_cast<T*>(operands[accumulates_ ? 3 : 2]),
                [=, this](std::int64_t r, std::int64_t c) {
                  return to_float(dy[r * columns + c]) * to_float(x[r * columns + c]) * scales_[r];
                });
  }

 private:
  Matrix shape_;
  float epsilon_;
  bool accumulates_;
  float* scales_;  // of the rows; scratch memory
};

template <template <typename> typename Gradient>
std::unique_ptr<OpImplementation> make(const ir::OpCall& call, ScratchArena& scratch) {
  if (call.output(0).dtype == ir::DType::bf16) return std::make_unique<Gradient<BFloat16>>(call, scratch);
  return std::make_unique<Gradient<float>>(call, scratch);
}

}  // namespace

std::unique_ptr<OpImplementation> make_rmsnorm_grad_input(const ir::OpCall& call, ScratchArena& scratch) {
  return make<RmsNormGradInput>(call, scratch);
}
std::unique_ptr<OpImplementation> make_rmsnorm_grad_weight(const ir::OpCall& call, ScratchArena& scratch) {
  return make<RmsNormGradWeight>(call, scratch);
}

}  // namespace graphbench::host
