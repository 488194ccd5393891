// Prepares the kernels of a step, and plans its allocations from the live ranges of values.
#include "graphs/execution/step_kernels.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "graphs/base/text.hpp"
#include "graphs/ir/cond.hpp"
#include "graphs/ir/passes.hpp"

namespace graphbench::execution {
namespace {

// A capture of `cond` records an IF node; eagerly, the host reads the predicate.
class CondKernel final : public Kernel {
 public:
  CondKernel(DeviceExecution& device, const ir::OpCall& cond)
      : op_(ir::body_of(*cond.op)), kept_(cond.input_count - 1), bytes_(cond.output(0).bytes()) {
    ir::OpCall body{&op_, cond.batch, {cond.operands.begin() + 1, cond.operands.end()}, kept_, {}};
    if (!cond.weights.empty()) body.weights.assign(cond.weights.begin() + 1, cond.weights.end());
    body_ = device.make_kernel(body);
  }
  void launch(Stream& stream, void* const* operands) override {
    void* const result = operands[kept_ + 1];
    const void* const kept = operands[kept_];
    const auto taken = [&](Stream& on) { body_->launch(on, operands + 1); };
    const auto not_taken = [&](Stream& on) { on.copy_on_device(result, kept, bytes_); };
    if (stream.capturing())
      return stream.record_branch(operands[0], {result != kept ? not_taken : Stream::Arm(), taken});
    std::int32_t predicate = 0;
    stream.copy_to_host(&predicate, operands[0], sizeof(predicate));
    stream.synchronize();
    if (predicate != 0) return taken(stream);
    if (result != kept) not_taken(stream);
  }
  std::optional<std::size_t> in_place_input() const override {
    const std::optional<std::size_t> input = body_->in_place_input();
    return input && *input + 1 == kept_ ? std::optional(kept_) : std::nullopt;
  }
  KernelPath path() const override { return body_->path(); }

 private:
  ir::Op op_;
  std::size_t kept_;  // position of the last input, which is the result if the body does not run
  std::size_t bytes_;
  std::unique_ptr<Kernel> body_;
};

std::unique_ptr<Kernel> make_kernel(DeviceExecution& device, const ir::OpCall& call) {
  if (call.op->kind == ir::cond_kind) return std::make_unique<CondKernel>(device, call);
  return device.make_kernel(call);
}

// The number of consecutive `linear` ops from `first` on that do not read each other's outputs; at least 1.
std::size_t products_from(const ir::Program& program, ir::OpId first) {
  std::vector<ir::ValueId> made;
  ir::OpId end = first;
  for (; end < program.ops().size() && program.ops()[end].kind == "linear"; ++end) {
    const ir::Op& op = program.ops()[end];
    if (std::ranges::any_of(op.inputs, [&](ir::ValueId input) { return contains(made, input); })) break;
    made.push_back(op.outputs.front());
  }
  return std::max<std::size_t>(end - first, 1);
}

}  // namespace

StepKernels::StepKernels(DeviceExecution& device, const ir::Program& program, std::int64_t batch, bool forked)
    : value_bytes(program.values().size()), outputs(program.results()) {
  const std::vector<ir::LiveRange> ranges = ir::live_ranges(program);
  std::map<std::string_view, Kernel*> kernel_of;  // by op name; an op that runs again uses the same kernel
  std::size_t allocated_bytes = 0;
  std::size_t side = 1, at = 0;          // size of the group of parallel ops; position in it
  std::vector<ir::ValueId> read_beside;  // values whose last use is in the group; released after the group
  for (ir::OpId id = 0; id < program.ops().size(); ++id) {
    const ir::Op& op = program.ops()[id];
    if (op.traits.marker) continue;
    StepOp step;
    step.op = id;
    at = at + 1 < side ? at + 1 : 0;
    if (at == 0) side = step.side_by_side = forked ? products_from(program, id) : 1;
    const bool writes = !op.outputs.empty() || !op.mutates.empty();
    if (op.definition->foreign != nullptr && writes) step.must_record = &op;
    device.prepare_on_branch(at);
    step.kernel = op.recomputes.empty()
                      ? kernels.emplace_back(make_kernel(device, program.call(id, batch))).get()
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
    if (side == 1) run_in_place(step);
    for (const ir::ValueId value : step.allocates) allocated_bytes += value_bytes[value];
    peak_bytes = std::max(peak_bytes, allocated_bytes);
    std::ranges::move(step.releases, std::back_inserter(read_beside));
    step.releases = at + 1 == side ? std::exchange(read_beside, {}) : std::vector<ir::ValueId>();
    for (const ir::ValueId value : step.releases) allocated_bytes -= value_bytes[value];
    ops.push_back(std::move(step));
  }
  device.prepare_on_branch(0);
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
  // Not in place if the op reads the value through two inputs: the second would read the op's own output.
  if (std::ranges::count(step.operands, from) != 1 || value_bytes[from] != value_bytes[to]) return;
  if (std::erase(step.releases, from) == 0) return;  // the value is read again later, or is not in the pool
  std::erase(step.allocates, to);
  step.takes_over = TakeOver{from, to};
}

}  // namespace graphbench::execution
