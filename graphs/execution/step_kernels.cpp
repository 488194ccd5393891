// Prepares the kernels of a step and lays out its allocations from liveness.
#include "graphs/execution/step_kernels.hpp"

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
                .releases = {}};
    step.operands.insert(step.operands.end(), op.outputs.begin(), op.outputs.end());
    for (const ir::ValueId output : op.outputs) value_bytes[output] = program.describe(output, batch).bytes();
    for (ir::ValueId value = 0; value < program.values().size(); ++value) {
      if (program.value(value).kind == ir::ValueKind::activation && ranges[value].last_use == id) {
        step.releases.push_back(value);
      }
    }
    ops.push_back(std::move(step));
  }
}

}  // namespace graphbench::execution
