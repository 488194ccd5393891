// column_sum: over every dimension but the last.
#include "graphs/host/ops/column_sum.hpp"

#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"

namespace graphbench::host {
namespace {

template <typename T>
class ColumnSum final : public DirectOp {
 public:
  explicit ColumnSum(const ir::OpCall& call)
      : DirectOp(call.operands.size()),
        shape_{call.input(0).elements() / call.output(0).elements(), call.output(0).elements()},
        accumulates_(call.input_count == 2) {}

  std::optional<std::size_t> in_place_input() const override {
    return accumulates_ ? std::optional<std::size_t>(1) : std::nullopt;
  }

 protected:
  void compute(void* const* operands) override {
    const T* x = static_cast<const T*>(operands[0]);
    const T* so_far = accumulates_ ? static_cast<const T*>(operands[1]) : nullptr;
    sum_columns(shape_, so_far, static_cast<T*>(operands[accumulates_ ? 2 : 1]),
                [&](std::int64_t r, std::int64_t c) { return to_float(x[r * shape_.columns + c]); });
  }

 private:
  Matrix shape_;
  bool accumulates_;
};

}  // namespace

std::unique_ptr<OpImplementation> make_column_sum(const ir::OpCall& call, ScratchArena&) {
  if (call.output(0).dtype == ir::DType::bf16) return std::make_unique<ColumnSum<BFloat16>>(call);
  return std::make_unique<ColumnSum<float>>(call);
}

}  // namespace graphbench::host
