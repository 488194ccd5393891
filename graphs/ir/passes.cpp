// Partition, liveness and write sets: what executors need to know of a program before they run it.
#include "graphs/ir/passes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "graphs/base/error.hpp"

namespace graphbench::ir {
namespace {

bool contains(const std::vector<std::string>& kinds, const std::string& kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::vector<ValueId> mutated_of_kind(const Program& program, ValueKind kind) {
  std::vector<ValueId> found;
  for (const Op& op : program.ops()) {
    for (const ValueId id : op.mutates) {
      if (program.value(id).kind == kind && std::ranges::find(found, id) == found.end()) found.push_back(id);
    }
  }
  return found;
}

}  // namespace

bool splits_at(const Op& op, const std::vector<std::string>& split_kinds) {
  return contains(split_kinds, op.kind) || contains(split_kinds, op.splits_with);
}

std::vector<Segment> partition(const Program& program, const std::vector<std::string>& split_kinds) {
  std::vector<Segment> segments;
  const std::vector<Op>& ops = program.ops();
  bool open = false;  // whether the last segment may still grow
  for (OpId id = 0; id < ops.size(); ++id) {
    const bool splits = splits_at(ops[id], split_kinds);
    if (ops[id].traits.marker) {
      // A marker that is not asked for as a split is invisible: a piece runs on across it.
      if (splits) open = false;
      continue;
    }
    const bool captured = !splits && !ops[id].eager && !ops[id].traits.host_op && ops[id].traits.capturable;
    if (open && segments.back().captured == captured) {
      segments.back().last = id + 1;
    } else {
      segments.push_back({captured, id, id + 1});
    }
    open = true;
  }
  return segments;
}

std::vector<Segment> graphs_of(const Program& program, const std::vector<Segment>& segments) {
  std::vector<Segment> graphs;
  for (const Segment& segment : segments) {
    graphs.push_back(segment);
    for (OpId id = segment.first + 1; segment.captured && id < segment.last; ++id) {
      if (!program.ops()[id].starts_graph) continue;
      graphs.back().last = id;
      graphs.push_back({true, id, segment.last});
    }
  }
  return graphs;
}

std::vector<LiveRange> live_ranges(const Program& program) {
  std::vector<LiveRange> ranges(program.values().size());
  const std::vector<Op>& ops = program.ops();
  for (OpId id = 0; id < ops.size(); ++id) {
    for (const ValueId output : ops[id].outputs) ranges[output] = {id, id};
    for (const ValueId input : ops[id].inputs) ranges[input].last_use = id;
  }
  for (const ValueId output : program.results()) {
    ranges[output].last_use = static_cast<OpId>(ops.size() - 1);
  }
  return ranges;
}

std::vector<ValueId> mutated_inputs(const Program& program) {
  return mutated_of_kind(program, ValueKind::input);
}

bool depends_on_batch(const Value& value) {
  return std::ranges::any_of(value.shape, [](const Dim& dim) { return dim.per_batch != 0; });
}

std::vector<ValueId> mutated_state(const Program& program) {
  std::vector<ValueId> mutated = mutated_of_kind(program, ValueKind::state);
  std::ranges::move(mutated_of_kind(program, ValueKind::parameter), std::back_inserter(mutated));
  return mutated;
}

const Op* first_uncapturable(const Program& program) {
  const auto found = std::ranges::find_if(
      program.ops(), [](const Op& op) { return op.traits.host_op || !op.traits.capturable; });
  return found == program.ops().end() ? nullptr : &*found;
}

}  // namespace graphbench::ir
