// Base of the ops that are plain loops (or a plugin's function): they need their addresses and
// nothing else, so that binding is a copy of them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "graphs/host/op_implementation.hpp"

namespace graphbench::host {

class DirectOp : public OpImplementation {
 public:
  explicit DirectOp(std::size_t operand_count) : operand_count_(operand_count) {}

  void run(void* const* operands, StreamContext&) final { compute(operands); }

  std::unique_ptr<BoundOp> bind(void* const* operands) final {
    return std::make_unique<Bound>(*this, operands);
  }

 protected:
  virtual void compute(void* const* operands) = 0;

 private:
  class Bound final : public BoundOp {
   public:
    Bound(DirectOp& op, void* const* operands) : op_(op), operands_(operands, operands + op.operand_count_) {}
    void run(StreamContext&) override { op_.compute(operands_.data()); }

   private:
    DirectOp& op_;
    std::vector<void*> operands_;
  };

  std::size_t operand_count_;
};

}  // namespace graphbench::host
