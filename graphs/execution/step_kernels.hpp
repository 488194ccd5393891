// What every mode shares about a step at one batch: its kernels, and for each op which values it
// allocates before and releases after itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graphs/execution/program_buffers.hpp"
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
  std::vector<ir::ValueId> allocates;  // its outputs, less one that takes memory over
  std::vector<ir::ValueId> releases;   // values whose last use this is, program outputs not among them
  // The first output runs in the memory of a value whose last use this is, which is then in neither
  // of the lists above: one allocation less, and one block less at the peak.
  std::optional<TakeOver> takes_over;
};

// Markers do nothing and are left out: `ops` holds what is enqueued, in order.
struct StepKernels {
  StepKernels(Device& device, const ir::Program& program, std::int64_t batch);

  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<StepOp> ops;
  std::vector<std::size_t> value_bytes;  // at this batch, of activations and outputs
  std::vector<ir::ValueId> outputs;      // the program's

 private:
  void run_in_place(StepOp& step, const ir::Op& op) const;
};

}  // namespace graphbench::execution
