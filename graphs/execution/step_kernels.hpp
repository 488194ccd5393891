// What every mode shares about a step at one batch: its kernels, and for each op which values it
// allocates before and releases after itself.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graphs/execution/program_buffers.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::execution {

struct StepOp {
  Kernel* kernel = nullptr;
  ir::OpId op = 0;
  std::vector<ir::ValueId> operands;   // inputs, then outputs
  std::vector<ir::ValueId> allocates;  // its outputs
  std::vector<ir::ValueId> releases;   // values whose last use this is, program outputs not among them
};

// Markers do nothing and are left out: `ops` holds what is enqueued, in order.
struct StepKernels {
  StepKernels(Device& device, const ir::Program& program, std::int64_t batch);

  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<StepOp> ops;
  std::vector<std::size_t> value_bytes;  // at this batch, of activations and outputs
  std::vector<ir::ValueId> outputs;      // the program's
};

}  // namespace graphbench::execution
