// Counts ops and bytes of a training program.
#include <algorithm>
#include <set>
#include <vector>

#include "graphs/ir/passes.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::ir {

bool is_training(const Program& program) {
  return std::ranges::any_of(program.ops(), [](const Op& op) { return op.phase != Phase::forward; });
}

std::vector<std::string> uncapturable_gradients(const Program& program) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const Op& op : program.ops()) {
    const bool fits = op.traits.capturable && !op.traits.host_op;
    if (fits || op.phase == Phase::forward || !seen.insert(op.kind).second) continue;
    const auto all = std::ranges::count(program.ops(), op.kind, &Op::kind);
    lines.push_back("op " + op.name + " (" + op.kind + ") " +
                    (op.traits.host_op ? "runs on the host" : "is marked as not capturable") +
                    (all > 1 ? ", and " + std::to_string(all - 1) + " more of its kind" : ""));
  }
  return lines;
}

facts::TrainingFacts training_facts(const Program& program, std::int64_t batch) {
  facts::TrainingFacts facts{};
  facts.ops.removed = program.removed_ops();
  const auto bytes_of = [&](ValueId id) {
    return static_cast<std::int64_t>(program.describe(id, batch).bytes());
  };
  const std::vector<LiveRange> ranges = live_ranges(program);
  for (const Op& op : program.ops()) {
    if (op.traits.marker) continue;
    std::int64_t* const counts[] = {&facts.ops.forward, &facts.ops.backward, &facts.ops.accumulate,
                                    &facts.ops.optimizer};
    ++*counts[static_cast<std::size_t>(op.phase)];
    for (const ValueId id : op.outputs) {
      const Op& last = program.ops()[ranges[id].last_use];
      if (op.phase == Phase::forward && last.phase != Phase::forward &&
          program.value(id).kind == ValueKind::activation)
        facts.saved_bytes += bytes_of(id);
    }
    if (op.phase != Phase::optimizer) continue;
    for (const ValueId id : op.mutates) {
      if (program.value(id).kind == ValueKind::state) facts.optimizer_bytes += bytes_of(id);
    }
  }
  for (const ValueId id : program.values_of(ValueKind::gradient)) facts.gradient_bytes += bytes_of(id);
  return facts;
}

}  // namespace graphbench::ir
