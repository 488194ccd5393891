// Prepares the kernels of a step, and plans its allocations from the live ranges of values.
#include "graphs/execution/step_kernels.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "graphs/ir/passes.hpp"

namespace graphbench::execution {

StepKernels::StepKernels(DeviceExecution& device, const ir::Program& program, std::int64_t batch)
    : value_bytes(program.values().size()), outputs(program.results()) {
  const std::vector<ir::LiveRange> ranges = ir::live_ranges(program);
  std::map<std::string_view, Kernel*> kernel_of;  // by op name; an op that runs again uses the same kernel
  std::size_t allocated_bytes = 0;
  for (ir::OpId id = 0; id < program.ops().size(); ++id) {
    const ir::Op& op = program.ops()[id];
    if (op.traits.marker) continue;
    StepOp step;
    step.op = id;
    const bool writes = !op.outputs.empty() || !op.mutates.empty();
    if (op.definition->foreign != nullptr && writes) step.must_record = &op;
    step.kernel = op.recomputes.empty()
                      ? kernels.emplace_back(device.make_kernel(program.call(id, batch))).get()
                      : kernel_of.at(op.recomputes);
    kernel_of[op.name] = step.kernel;
    step.operands = op.inputs;
    step.operands.insert(step.operands.end(), op.outputs.begin(), op.outputs.end());
    step.allocates = op.outputs;
    for (const ir::ValueId output : op.outputs) value_bytes[output] = program.describe(output, batch).bytes();
    for (ir::ValueId value = 0; value < program.values().size(); ++value) {
      if (program.value(value).kind == ir::ValueKind::activation && ranges[value].last_use == id)
        step.releases.push_back(value);
    }
    run_in_place(step);
    for (const ir::ValueId value : step.allocates) allocated_bytes += value_bytes[value];
    peak_bytes = std::max(peak_bytes, allocated_bytes);
    for (const ir::ValueId value : step.releases) allocated_bytes -= value_bytes[value];
    ops.push_back(std::move(step));
  }
}

OperandArrays::OperandArrays(const StepKernels& kernels) {
  std::size_t count = 0;
  for (const StepOp& op : kernels.ops) count += op.operands.size();
  operands_.resize(count);
  void** next = operands_.data();
  for (const StepOp& op : kernels.ops) {
    first_.push_back(next);
    next += op.operands.size();
  }
}

void StepKernels::run_in_place(StepOp& step) const {
  const std::optional<std::size_t> position = step.kernel->in_place_input();
  if (!position || step.allocates.empty()) return;
  const ir::ValueId from = step.operands.at(*position);
  const ir::ValueId to = step.allocates.front();
  // If the op reads the value through two inputs, it would read its own output.
  if (std::ranges::count(step.operands, from) != 1 || value_bytes[from] != value_bytes[to]) return;
  if (std::erase(step.releases, from) == 0) return;  // the value is read again later, or is not in the pool
  std::erase(step.allocates, to);
  step.takes_over = TakeOver{from, to};
}

}  // namespace graphbench::execution
