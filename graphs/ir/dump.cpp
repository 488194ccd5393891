// A program and its pieces as text: what `--dump-program` prints.
#include <sstream>

#include "graphs/ir/passes.hpp"

namespace graphbench::ir {
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
