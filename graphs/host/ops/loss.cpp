// Losses: the value, in fp32, and its gradient by the model's output, in one pass. Parts of the value are
// added up in an order that depends on the shape alone.
#include <algorithm>
#include <cmath>

#include "graphs/host/bfloat16.hpp"
#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/row_scale.hpp"
#include "graphs/host/ops/sum_of_parts.hpp"

namespace graphbench::host {
namespace {

// What gradients are multiplied by: the third input, where there is one.
float scale_of(void* const* operands, std::size_t inputs) {
  return inputs > 2 ? *static_cast<const float*>(operands[2]) : 1.0f;
}

template <typename T>
class MseLoss final : public DirectOp {
 public:
  MseLoss(const ir::OpCall& call, ScratchArena& scratch)
      : DirectOp(call.operands.size()),
        inputs_(call.input_count),
        sum_(call.input(0).elements(), 2048, scratch),
        weight_(static_cast<float>(ir::real_attribute(*call.op, "scale") /
                                   static_cast<double>(call.input(0).elements()))) {}

 protected:
  void compute(void* const* operands) override {
    const T* y = static_cast<const T*>(operands[0]);
    const T* target = static_cast<const T*>(operands[1]);
    T* dy = static_cast<T*>(operands[inputs_ + 1]);
    const float slope = 2.0f * weight_ * scale_of(operands, inputs_);
    const float squares = sum_.over(8, [=](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        dy[i] = from_float<T>(slope * (to_float(y[i]) - to_float(target[i])));
      return sum_in_lanes(last - first, [=](std::int64_t i) {
        const float off = to_float(y[first + i]) - to_float(target[first + i]);
        return off * off;
      });
    });
    *static_cast<float*>(operands[inputs_]) = weight_ * squares;
  }

 private:
  std::size_t inputs_;
  SumOfParts sum_;
  float weight_;  // of one element
};

template <typename T>
class CrossEntropyLoss final : public DirectOp {
 public:
  CrossEntropyLoss(const ir::OpCall& call, ScratchArena& scratch)
      : DirectOp(call.operands.size()),
        inputs_(call.input_count),
        sum_(call.input(0).dims.at(0), 1, scratch),
        columns_(call.input(0).dims.at(1)),
        weight_(static_cast<float>(ir::real_attribute(*call.op, "scale") /
                                   static_cast<double>(call.input(0).dims.at(0)))) {}

 protected:
  void compute(void* const* operands) override {
    const T* y = static_cast<const T*>(operands[0]);
    const auto* target = static_cast<const std::int32_t*>(operands[1]);
    T* dy = static_cast<T*>(operands[inputs_ + 1]);
    const float slope = weight_ * scale_of(operands, inputs_);
    const float losses = sum_.over(1 + 4096 / columns_, [=, this](std::int64_t r, std::int64_t) {
      return row(y + r * columns_, target[r], slope, dy + r * columns_);
    });
    *static_cast<float*>(operands[inputs_]) = weight_ * losses;
  }

 private:
  float row(const T* y, std::int32_t target, float slope, T* dy) const {
    float largest = to_float(y[0]);
    for (std::int64_t c = 1; c < columns_; ++c) largest = std::max(largest, to_float(y[c]));
    const float sum =
        sum_in_lanes(columns_, [=](std::int64_t c) { return std::exp(to_float(y[c]) - largest); });
    for (std::int64_t c = 0; c < columns_; ++c) {
      const float share = std::exp(to_float(y[c]) - largest) / sum;
      dy[c] = from_float<T>(slope * (share - (c == target ? 1.0f : 0.0f)));
    }
    return std::log(sum) - (to_float(y[target]) - largest);
  }

  std::size_t inputs_;
  SumOfParts sum_;
  std::int64_t columns_;
  float weight_;  // of one row
};

template <template <typename> typename Loss>
std::unique_ptr<OpImplementation> make(const ir::OpCall& call, ScratchArena& scratch) {
  if (call.input(0).dtype == ir::DType::bf16) return std::make_unique<Loss<BFloat16>>(call, scratch);
  return std::make_unique<Loss<float>>(call, scratch);
}

}  // namespace

std::unique_ptr<OpImplementation> make_mse_loss(const ir::OpCall& call, ScratchArena& scratch) {
  return make<MseLoss>(call, scratch);
}
std::unique_ptr<OpImplementation> make_cross_entropy_loss(const ir::OpCall& call, ScratchArena& scratch) {
  return make<CrossEntropyLoss>(call, scratch);
}

}  // namespace graphbench::host
