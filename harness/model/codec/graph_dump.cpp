// Writes a graph dump as JSON.
#include "harness/model/codec/graph_dump.hpp"

#include "harness/model/codec/messages.hpp"

namespace graphbench::codec {

GB_DESCRIBE(facts::DescribedNode, op, type, function, facts, after);
GB_DESCRIBE(facts::DescribedPiece, nodes);
GB_DESCRIBE(model::GraphDump, schema, cell, pieces);

std::string to_json(const model::GraphDump& dump_data) {
  return dump(JsonWriter(Form::document).write(dump_data), 1) + "\n";
}

}  // namespace graphbench::codec
