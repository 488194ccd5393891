// Field by field.
#include "harness/codec/graph_dump.hpp"

#include "harness/codec/messages.hpp"

namespace graphbench::codec {

template <>
struct Description<model::DumpedNode> {
  using T = model::DumpedNode;
  static constexpr auto fields =
      std::tuple(field("op", &T::op), field("type", &T::type), field("function", &T::function),
                 field("facts", &T::facts), field("after", &T::after));
};
template <>
struct Description<model::DumpedPiece> {
  static constexpr auto fields = std::tuple(field("nodes", &model::DumpedPiece::nodes));
};
template <>
struct Description<model::GraphDump> {
  using T = model::GraphDump;
  static constexpr auto fields =
      std::tuple(field("schema", &T::schema), field("cell", &T::cell), field("pieces", &T::pieces));
};

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
