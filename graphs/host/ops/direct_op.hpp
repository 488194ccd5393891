// Prepares ops on the host, and makes those that are plain loops or a plugin's function. Binding such an op
// only copies its operand addresses. A loop is split over the OpenMP threads of the stream's thread. One
// thread computes each element from the element's index alone, so the bits do not depend on the number of
// threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/bfloat16.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::host {

// Throws Error(unsupported), which names the op, if the host has no implementation of the op's kind.
std::unique_ptr<OpImplementation> make_op(const ir::OpCall& call, ScratchArena& scratch);

// Calls `Compute` with the operands, and with the StreamContext if it accepts one.
template <typename Compute>
class DirectOp final : public OpImplementation {
 public:
  DirectOp(std::size_t operand_count, Compute compute, std::optional<std::size_t> in_place_input)
      : operand_count_(operand_count), compute_(std::move(compute)), in_place_input_(in_place_input) {}

  void run(void* const* operands, StreamContext& context) override {
    if constexpr (std::is_invocable_v<Compute&, void* const*>)
      compute_(operands);
    else
      compute_(operands, context);
  }
  std::optional<std::size_t> in_place_input() const override { return in_place_input_; }
  std::unique_ptr<BoundOp> bind(void* const* operands) override {
    return std::make_unique<Bound>(*this, operands);
  }

 private:
  class Bound final : public BoundOp {
   public:
    Bound(DirectOp& op, void* const* operands) : op_(op), operands_(operands, operands + op.operand_count_) {}
    void run(StreamContext& context) override { op_.run(operands_.data(), context); }

   private:
    DirectOp& op_;
    std::vector<void*> operands_;
  };

  std::size_t operand_count_;
  Compute compute_;
  std::optional<std::size_t> in_place_input_;
};

template <typename Compute>
std::unique_ptr<OpImplementation> direct_op(std::size_t operand_count, Compute compute,
                                            std::optional<std::size_t> in_place_input = std::nullopt) {
  return std::make_unique<DirectOp<Compute>>(operand_count, std::move(compute), in_place_input);
}
template <typename Compute>
std::unique_ptr<OpImplementation> direct_op(const ir::OpCall& call, Compute compute,
                                            std::optional<std::size_t> in_place_input = std::nullopt) {
  return direct_op(call.operands.size(), std::move(compute), in_place_input);
}

template <typename Choose>
auto for_float_type(ir::DType dtype, const Choose& choose) {
  return dtype == ir::DType::bf16 ? choose(BFloat16{}) : choose(float{});
}

// Splits [0, count) into parts of at least `grain`, and calls body(first, last) for each part in parallel.
// If fewer than two parts fit, the calling thread does all the work. `body` must not throw.
template <typename Body>
void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t parts =
      std::min<std::int64_t>(omp_get_max_threads(), count / std::max<std::int64_t>(grain, 1));
  if (parts <= 1) {
    body(std::int64_t{0}, count);
    return;
  }
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(parts))
  for (std::int64_t part = 0; part < parts; ++part) body(count * part / parts, count * (part + 1) / parts);
}

}  // namespace graphbench::host
