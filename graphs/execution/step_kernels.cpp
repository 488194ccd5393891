// Prepares the kernels of a step and lays out its allocations from liveness.
#include "graphs/execution/step_kernels.hpp"

#include <algorithm>

#include "graphs/ir/passes.hpp"

namespace graphbench::execution {

StepKernels::StepKernels(Device& device, const ir::Program& program, std::int64_t batch)
    : value_bytes(program.values().size()), outputs(program.values_of(ir::ValueKind::output)) {
  const std::vector<ir::LiveRange> ranges = ir::live_ranges(program);
  for (ir::OpId id = 0; id < program.ops().size(); ++id) {
    const ir::Op& op = program.ops()[id];
    if (op.traits.marker) continue;
    const ir::OpCall call = program.call(id, batch);
    StepOp step{.kernel = kernels.emplace_back(device.make_kernel(call)).get(),
                .op = id,
                .operands = op.inputs,
                .allocates = op.outputs,
                .releases = {},
                .takes_over = std::nullopt};
    step.operands.insert(step.operands.end(), op.outputs.begin(), op.outputs.end());
    for (const ir::ValueId output : op.outputs) value_bytes[output] = program.describe(output, batch).bytes();
    for (ir::ValueId value = 0; value < program.values().size(); ++value) {
      if (program.value(value).kind == ir::ValueKind::activation && ranges[value].last_use == id) {
        step.releases.push_back(value);
      }
    }
    run_in_place(step, op);
    ops.push_back(std::move(step));
  }
}

void StepKernels::run_in_place(StepOp& step, const ir::Op& op) const {
  const std::optional<std::size_t> position = step.kernel->in_place_input();
  if (!position || op.outputs.empty()) return;
  const ir::ValueId from = op.inputs.at(*position);
  const ir::ValueId to = op.outputs.front();
  // An op that reads the value through another input as well would read what it writes.
  if (std::ranges::count(op.inputs, from) != 1 || value_bytes[from] != value_bytes[to]) return;
  if (std::erase(step.releases, from) == 0) return;  // read again later, or not of the pool
  std::erase(step.allocates, to);
  step.takes_over = TakeOver{from, to};
}

}  // namespace graphbench::execution
