// Field by field.
#include "harness/codec/graph_dump.hpp"

#include "harness/codec/messages.hpp"

namespace graphbench::codec {

GB_DESCRIBE(model::DumpedNode, op, type, function, facts, after);
GB_DESCRIBE(model::DumpedPiece, nodes);
GB_DESCRIBE(model::GraphDump, schema, cell, pieces);

std::string to_json(const model::GraphDump& dump_data) {
  return dump(JsonWriter(Form::document).write(dump_data), 1) + "\n";
}

model::GraphDump read_graph_dump(std::string_view text, const std::string& what) {
  auto read = read_data<model::GraphDump>(text, what);
  if (read.schema == model::graph_dump_schema) return read;
  throw Error(ErrorCode::invalid_argument,
              what + ": its schema is \"" + read.schema + "\", not " + model::graph_dump_schema);
}

}  // namespace graphbench::codec
