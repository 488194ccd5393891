// Prepares the kernels of a step and lays out its allocations from liveness.
#include "graphs/execution/step_kernels.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "graphs/device/chain_call.hpp"

namespace graphbench::execution {
namespace {

struct Fused {
  std::unique_ptr<Kernel> kernel;
  std::vector<ir::OpId> ops;
  std::optional<ir::Chain> chain;  // else the two ops of a pair
};
using FusedByFirstOp = std::map<ir::OpId, Fused>;

// The op launched next after `id`, or before it where `step` is -1; the last op stands before the first.
ir::OpId neighbour(const ir::Program& program, ir::OpId id, int step) {
  const auto count = static_cast<std::int64_t>(program.ops().size());
  std::int64_t at = id;
  do {
    at = (at + step + count) % count;
  } while (program.ops()[static_cast<std::size_t>(at)].traits.marker);
  return static_cast<ir::OpId>(at);
}

// By name, the ops that are run again, and what does it.
std::map<std::string_view, ir::OpId> recomputations(const ir::Program& program) {
  std::map<std::string_view, ir::OpId> again;
  for (ir::OpId id = 0; id < program.ops().size(); ++id) {
    const ir::Op& op = program.ops()[id];
    if (!op.recomputes.empty()) again[op.recomputes] = id;
  }
  return again;
}

std::vector<bool> ops_in(const FusedByFirstOp& fused, const ir::Program& program) {
  std::vector<bool> taken(program.ops().size());
  for (const auto& [first, kernel] : fused) {
    for (const ir::OpId id : kernel.ops) taken[id] = true;
  }
  return taken;
}

// Adds chains of ops that are in nothing yet, where the device makes a kernel of them; for the others, why it
// does not.
void generate(DeviceExecution& device, const ir::Program& program, std::int64_t batch,
              const std::vector<ir::Chain>& chains, FusedByFirstOp& fused,
              std::vector<KernelPath>& not_made) {
  const std::vector<bool> taken = ops_in(fused, program);
  for (const ir::Chain& chain : chains) {
    if (taken[chain.ops.front()]) continue;
    const ChainCall call = chain_call(program, chain, batch);
    ChainKernel made = device.make_chain_kernel(call);
    if (made.kernel == nullptr) {
      const char* const instead = chain.ops.size() == 1 ? ":built in" : ":a kernel each";
      not_made.push_back({call.kinds() + instead, std::move(made.why_not)});
    } else {
      fused.emplace(chain.ops.front(), Fused{std::move(made.kernel), chain.ops, chain});
    }
  }
}

// Adds pairs of ops that are in nothing fused yet. Of ops that are run again, those that are so together: the
// same kernel runs again.
void fuse_pairs(DeviceExecution& device, const ir::Program& program, std::int64_t batch,
                const std::vector<ir::Segment>& segments, FusedByFirstOp& fused) {
  std::vector<bool> taken = ops_in(fused, program);
  const std::map<std::string_view, ir::OpId> again = recomputations(program);
  const auto alike = [&](const ir::OpPair& pair) {
    const ir::Op& first = program.ops()[pair.first];
    const ir::Op& second = program.ops()[pair.second];
    if (!first.recomputes.empty() || !second.recomputes.empty()) return false;
    const auto one = again.find(first.name), other = again.find(second.name);
    if (one == again.end() || other == again.end()) return one == other;
    return neighbour(program, one->second, 1) == other->second;
  };
  for (const ir::OpPair& pair : ir::fusible_pairs(program, segments)) {
    if (taken[pair.first] || taken[pair.second] || !alike(pair)) continue;
    const ir::OpCall first = program.call(pair.first, batch);
    const ir::OpCall second = program.call(pair.second, batch);
    const ir::OpCall ahead = program.call(neighbour(program, pair.first, -1), batch);
    const ir::OpCall behind = program.call(neighbour(program, pair.second, 1), batch);
    std::unique_ptr<Kernel> kernel =
        device.make_fused_kernel({first, second, pair.position, &ahead, &behind});
    if (kernel == nullptr) continue;
    taken[pair.first] = taken[pair.second] = true;
    fused.emplace(pair.first, Fused{std::move(kernel), {pair.first, pair.second}, std::nullopt});
  }
}

FusedByFirstOp fuse(DeviceExecution& device, const ir::Program& program, std::int64_t batch,
                    const std::vector<std::string>& split_kinds, std::vector<KernelPath>& not_made) {
  FusedByFirstOp fused;
  const std::vector<ir::Segment> segments =
      ir::partition(program, split_kinds.empty() ? program.default_split_kinds() : split_kinds);
  if (program.fusion() == ir::Fusion::chains)
    generate(device, program, batch, ir::chains(program, segments), fused, not_made);
  if (program.fusion() != ir::Fusion::none) fuse_pairs(device, program, batch, segments, fused);
  if (program.code() != ir::Code::built_in)
    generate(device, program, batch, ir::chains_of_one(program), fused, not_made);
  return fused;
}

}  // namespace

StepKernels::StepKernels(DeviceExecution& device, const ir::Program& program, std::int64_t batch,
                         const std::vector<std::string>& split_kinds)
    : value_bytes(program.values().size()), outputs(program.results()) {
  const std::vector<ir::LiveRange> ranges = ir::live_ranges(program);
  FusedByFirstOp fused = fuse(device, program, batch, split_kinds, chains_not_made);
  std::vector<bool> done(program.ops().size());
  std::map<std::string_view, std::size_t> at;  // in `ops`, by op
  std::size_t allocated_bytes = 0;
  for (ir::OpId id = 0; id < program.ops().size(); ++id) {
    if (done[id] || program.ops()[id].traits.marker) continue;
    StepOp step;
    step.op = id;
    const ir::Op& op = program.ops()[id];
    const bool writes = !op.outputs.empty() || !op.mutates.empty();
    if (op.definition->foreign != nullptr && writes) step.must_record = &op;
    std::vector<ir::OpId> does = {id};
    std::optional<ir::Chain> chain;
    at[op.name] = ops.size();
    if (!op.recomputes.empty()) {
      const StepOp& origin = ops[at.at(op.recomputes)];
      step.kernel = origin.kernel;
      if (origin.op_count == 2) does.push_back(neighbour(program, id, 1));
    } else if (const auto found = fused.find(id); found != fused.end()) {
      does = found->second.ops;
      chain = std::move(found->second.chain);
      step.kernel = kernels.emplace_back(std::move(found->second.kernel)).get();
    } else {
      step.kernel = kernels.emplace_back(device.make_kernel(program.call(id, batch))).get();
    }
    step.op_count = static_cast<std::int64_t>(does.size());
    for (const ir::OpId each : does) {
      done[each] = true;
      if (!chain) add_operands(step, program, batch, program.ops()[each].inputs, program.ops()[each].outputs);
    }
    if (chain) add_operands(step, program, batch, chain->read, chain->written);
    for (ir::ValueId value = 0; value < program.values().size(); ++value) {
      const bool ends = std::ranges::find(does, ranges[value].last_use) != does.end();
      const bool stored = !chain || std::ranges::find(chain->inside, value) == chain->inside.end();
      if (program.value(value).kind == ir::ValueKind::activation && ends && stored)
        step.releases.push_back(value);
    }
    run_in_place(step);
    for (const ir::ValueId value : step.allocates) allocated_bytes += value_bytes[value];
    peak_bytes = std::max(peak_bytes, allocated_bytes);
    for (const ir::ValueId value : step.releases) allocated_bytes -= value_bytes[value];
    ops.push_back(std::move(step));
  }
}

void StepKernels::add_operands(StepOp& step, const ir::Program& program, std::int64_t batch,
                               const std::vector<ir::ValueId>& read,
                               const std::vector<ir::ValueId>& written) {
  step.operands.insert(step.operands.end(), read.begin(), read.end());
  step.operands.insert(step.operands.end(), written.begin(), written.end());
  step.allocates.insert(step.allocates.end(), written.begin(), written.end());
  for (const ir::ValueId output : written) value_bytes[output] = program.describe(output, batch).bytes();
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
  // An op that reads the value through another input as well would read what it writes.
  if (std::ranges::count(step.operands, from) != 1 || value_bytes[from] != value_bytes[to]) return;
  if (std::erase(step.releases, from) == 0) return;  // read again later, or not of the pool
  std::erase(step.allocates, to);
  step.takes_over = TakeOver{from, to};
}

}  // namespace graphbench::execution
