// What every mode shares about a step at one batch: its kernels, and for each op which values it
// allocates before and releases after itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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
  std::int64_t op_count = 1;  // of the program: more where one kernel does the next ops too
  // Inputs, then outputs; of a pair of ops the first's ahead; of a chain what it reads, then what it writes.
  std::vector<ir::ValueId> operands;
  std::vector<ir::ValueId> allocates;  // its outputs, less one that takes memory over
  std::vector<ir::ValueId> releases;   // values whose last use this is, program outputs not among them
  // The first output runs in the memory of a value whose last use this is, which is then in neither
  // of the lists above: one allocation less, and one block less at the peak.
  std::optional<TakeOver> takes_over;
  // A plugin's op that writes something: a capture in which its launch records no node would leave it out.
  const ir::Op* must_record = nullptr;
};

// Markers do nothing and are left out: `ops` holds what is enqueued, in order.
struct StepKernels {
  // No kernel reaches across a place where `split_kinds` split (none: where the program's own do).
  StepKernels(DeviceExecution& device, const ir::Program& program, std::int64_t batch,
              const std::vector<std::string>& split_kinds);

  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<StepOp> ops;
  std::vector<std::size_t> value_bytes;  // at this batch, of activations and outputs
  std::vector<ir::ValueId> outputs;      // the program's results
  std::size_t peak_bytes = 0;            // of values that a step has allocated at once
  // Chains that the device makes no kernel of, named as in Kernel::path(), and why.
  std::vector<KernelPath> chains_not_made;

 private:
  void add_operands(StepOp& step, const ir::Program& program, std::int64_t batch,
                    const std::vector<ir::ValueId>& read, const std::vector<ir::ValueId>& written);
  void run_in_place(StepOp& step) const;
};

// Room for the operands of every op of a step, one op behind the other, so that a step walks flat memory.
class OperandArrays {
 public:
  explicit OperandArrays(const StepKernels& kernels);
  void** of(std::size_t op) const { return first_[op]; }  // by position in `ops`

 private:
  std::vector<void*> operands_;
  std::vector<void**> first_;
};

}  // namespace graphbench::execution
