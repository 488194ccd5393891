// Describes graphs, names their nodes, and writes both to files.
#include <algorithm>
#include <fstream>

#include "harness/measure/worker/task_run.hpp"
#include "harness/model/codec/json_writer.hpp"

namespace graphbench::measure {
namespace {

struct GraphDump {
  std::string schema = "graphbench.graph/1";
  std::string cell;
  std::vector<facts::DescribedPiece> pieces;
};

}  // namespace
}  // namespace graphbench::measure

namespace graphbench::model {

GB_DESCRIBE(facts::DescribedNode, op, type, function, facts, after);
GB_DESCRIBE(facts::DescribedPiece, nodes);
GB_DESCRIBE(measure::GraphDump, schema, cell, pieces);

}  // namespace graphbench::model

namespace graphbench::measure {
namespace {

std::string in_dot(const std::string& text) {
  std::string text_in_quotes = "\"";
  for (const char c : text)
    text_in_quotes += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return text_in_quotes + "\"";
}

void write_dump(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw Error(ErrorCode::io, "dump graph: " + path + " cannot be written");
}

std::string to_dot(const GraphDump& dump) {
  std::string text = "digraph " + in_dot(dump.cell) + " {\n  node [shape=box];\n";
  for (std::size_t p = 0; p < dump.pieces.size(); ++p) {
    const std::string piece = std::to_string(p);
    const auto name = [&](std::size_t node) { return "p" + piece + "n" + std::to_string(node); };
    text += "  subgraph cluster_" + piece + " {\n    label=\"piece " + piece + "\";\n";
    for (std::size_t n = 0; n < dump.pieces[p].nodes.size(); ++n) {
      const facts::DescribedNode& node = dump.pieces[p].nodes[n];
      std::string label = node.op.empty() ? node.type : node.op + " (" + node.type + ")";
      if (!node.function.empty()) label += " " + node.function;
      text += "    " + name(n) + " [label=" + in_dot(label) + "];\n";
      for (const std::int64_t before : node.after)
        text += "    " + name(static_cast<std::size_t>(before)) + " -> " + name(n) + ";\n";
    }
    text += "  }\n";
  }
  return text + "}\n";
}

}  // namespace

void dump_graphs(const std::string& folder, const std::string& cell_id, execution::ExecutionMode mode,
                 execution::ExecutionContext context, std::int64_t batch) {
  execution::MemoryPool pool(context.device);
  context.graph_pool = &pool;
  context.name_nodes = true;
  const std::unique_ptr<execution::Executor> executor = execution::make_executor(mode, context, batch);
  executor->capture();
  GraphDump dump;
  dump.cell = cell_id;
  dump.pieces = executor->describe();
  std::string file = cell_id;
  std::ranges::replace(file, '/', '_');
  const std::string path = folder + "/" + file;
  write_dump(path + ".json", model::dump(model::JsonWriter(model::Form::document).write(dump), 1) + "\n");
  write_dump(path + ".dot", to_dot(dump));
  const ir::Program& program = context.program;
  const auto ops = static_cast<ir::OpId>(program.ops().size());
  write_dump(path + ".before.txt", ir::dump(program, {{true, 0, ops}}, batch));
  write_dump(path + ".after.txt",
             ir::dump(program, execution::segments_of(mode, context.program, context.splits), batch));
}

}  // namespace graphbench::measure
