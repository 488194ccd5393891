// The parts of a step at one batch size that all modes share: the kernels, and for each op the values that
// are allocated before it and released after it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graphs/device/execution.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::execution {

struct TakeOver {
  ir::ValueId from = 0;
  ir::ValueId to = 0;
};

struct StepOp {
  Kernel* kernel = nullptr;
  ir::OpId op = 0;
  std::vector<ir::ValueId> operands;   // inputs, then outputs
  std::vector<ir::ValueId> allocates;  // the op's outputs, except an output that takes over memory
  std::vector<ir::ValueId> releases;   // values that this op uses last, except program outputs
  // If set: the first output takes over the memory of a value that this op uses last. `allocates` and
  // `releases` then omit both values.
  std::optional<TakeOver> takes_over;
  // How many ops, from this one on, a capture records as parallel branches. 1: this op runs alone, or is in
  // the group of an earlier op.
  std::size_t side_by_side = 1;
  // A plugin's op that writes a value: its capture fails without a node, because replays would skip it.
  const ir::Op* must_record = nullptr;
};

// `ops` are the ops that a step enqueues, in order. Markers do nothing and are left out.
struct StepKernels {
  StepKernels(DeviceExecution& device, const ir::Program& program, std::int64_t batch, bool forked = false);

  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<StepOp> ops;
  std::vector<std::size_t> value_bytes;  // sizes of activations and outputs at this batch
  std::vector<ir::ValueId> outputs;
  std::size_t peak_bytes = 0;  // the most pool bytes that a step uses at once

 private:
  void run_in_place(StepOp& step) const;
};

// The operands of all ops of a step in one array, so that a step walks contiguous memory.
class OperandArrays {
 public:
  explicit OperandArrays(const StepKernels& kernels);
  void** of(std::size_t op) const { return first_[op]; }  // by position in `ops`

 private:
  std::vector<void*> operands_;
  std::vector<void**> first_;
};

}  // namespace graphbench::execution
