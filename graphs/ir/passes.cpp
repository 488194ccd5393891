// Computes partitions, live ranges and write sets for executors, and dumps a program as text.
#include "graphs/ir/passes.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::ir {
namespace {

std::vector<ValueId> mutated_of_kind(const Program& program, ValueKind kind) {
  std::vector<ValueId> found;
  for (const Op& op : program.ops()) {
    for (const ValueId id : op.mutates) {
      if (program.value(id).kind == kind && !contains(found, id)) found.push_back(id);
    }
  }
  return found;
}

}  // namespace

std::vector<Segment> partition(const Program& program, const std::vector<std::string>& splits) {
  std::vector<Segment> segments;
  const std::vector<Op>& ops = program.ops();
  bool open = false;  // true while the last segment can take more ops
  for (OpId id = 0; id < ops.size(); ++id) {
    const bool ends_piece =
        std::ranges::any_of(splits, [&](const std::string& split) { return splits_at(ops[id], split); });
    if (ops[id].traits.marker) {
      if (ends_piece) open = false;
      continue;
    }
    const bool captured =
        !ends_piece && !ops[id].eager && !ops[id].traits.host_op && ops[id].traits.capturable;
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

namespace {

std::string text_of(const Attribute& attribute) {
  std::ostringstream text;
  std::visit([&text](const auto& value) { text << value; }, attribute);
  return text.str();
}

void write_names(std::ostream& out, const Program& program, const std::vector<ValueId>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) out << (i > 0 ? ", " : "") << program.value(ids[i]).name;
}

void write_op(std::ostream& out, const Program& program, const Op& op) {
  out << "    ";
  if (!op.outputs.empty()) {
    write_names(out, program, op.outputs);
    out << " = ";
  }
  out << op.kind << "(";
  write_names(out, program, op.inputs);
  out << ")";
  for (const auto& [name, value] : op.attributes) out << " " << name << "=" << text_of(value);
  if (!op.mutates.empty()) {
    out << "  mutates ";
    write_names(out, program, op.mutates);
  }
  for (const ValueId id : op.outputs) {
    const Value& value = program.value(id);
    out << "  : " << name_of(value.dtype) << to_string(value.shape);
    if (value.kind != ValueKind::activation) out << " (" << name_of(value.kind) << ")";
  }
  if (op.phase != Phase::forward) out << "  [" << name_of(op.phase) << "]";
  if (op.traits.host_op) out << "  [host op]";
  if (!op.traits.capturable) out << "  [not capturable]";
  if (op.traits.marker) out << "  [marker]";
  out << "\n";
}

void write_values(std::ostream& out, const Program& program, std::int64_t batch) {
  for (const ValueKind kind : {ValueKind::input, ValueKind::weight, ValueKind::parameter, ValueKind::state}) {
    for (const ValueId id : program.values_of(kind)) {
      const Value& value = program.value(id);
      out << "  " << name_of(kind) << " " << value.name << " : " << name_of(value.dtype)
          << to_string(value.shape) << "  (" << program.describe(id, batch).bytes() << " bytes)\n";
    }
  }
}

}  // namespace

std::string dump(const Program& program, const std::vector<Segment>& segments, std::int64_t batch) {
  std::ostringstream out;
  out << "program " << program.name() << "  (" << program.ops().size() << " ops, sizes at batch " << batch
      << ")\n";
  write_values(out, program, batch);
  std::size_t pieces = 0;
  OpId next = 0;
  const auto write_markers = [&](std::size_t end) {
    for (; next < end; ++next) {
      out << "  marker\n";
      write_op(out, program, program.ops()[next]);
    }
  };
  for (const Segment& segment : segments) {
    write_markers(segment.first);
    if (segment.captured) {
      out << "  piece " << pieces++ << "  (captured)\n";
    } else {
      out << "  split  (launched eagerly)\n";
    }
    for (; next < segment.last; ++next) write_op(out, program, program.ops()[next]);
  }
  write_markers(program.ops().size());
  for (const std::string& rewrite : program.rewrites()) out << "  rewritten: " << rewrite << "\n";
  return out.str();
}

}  // namespace graphbench::ir
