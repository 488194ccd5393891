// graphbench graph-diff: whether two captures are the same graphs, node by node.
#include <cstdio>
#include <filesystem>
#include <set>

#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/codec/document_file.hpp"
#include "harness/codec/graph_dump.hpp"
#include "harness/model/input_error.hpp"
#include "harness/model/whole_file.hpp"

namespace graphbench::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* graph_diff_footer =
    "A and B are .json files that --dump-graph wrote, or folders of them, whose files are compared by name.\n"
    "Exit codes: 0 equal; 2 bad usage or input; 10 different.\n";
constexpr std::int64_t shown_max = 20;

model::GraphDump read(const std::string& where, const fs::path& path) {
  const model::WholeFile file = model::read_whole_file(path.string(), codec::document_bytes_max);
  if (!file.why_not.empty())
    throw InputError(where, in_quotes(path.string()) + " " + file.why_not + ": give what --dump-graph wrote");
  try {
    return codec::read_graph_dump(file.text, in_quotes(path.string()) + " is no dumped graph");
  } catch (const Error& error) {
    throw InputError(where, error.what());
  }
}

std::string text_of(const model::DumpedNode& node) {
  std::string text = (node.op.empty() ? "(no op)" : node.op) + " " + node.type;
  if (!node.function.empty()) text += " " + node.function;
  for (const auto& [name, value] : node.facts) text += " " + name + "=" + value;
  text += " after";
  for (const std::int64_t before : node.after) text += " " + std::to_string(before);
  return text;
}

class GraphDiffCommand final : public Command {
 public:
  explicit GraphDiffCommand(Options& options) {
    options.word("A", a_, "a file, or a folder, that --dump-graph wrote");
    options.word("B", b_, "what it is compared with");
    options.footer(graph_diff_footer);
  }

  void check() override {
    if (a_.empty()) throw InputError("graph-diff", "A is missing: graphbench graph-diff A B");
    if (b_.empty()) throw InputError("graph-diff", "B is missing: graphbench graph-diff A B");
  }

  int run(const Invocation&) override {
    if (fs::is_directory(a_) != fs::is_directory(b_))
      throw InputError("graph-diff", "one of A and B is a folder: give two files, or two folders");
    if (fs::is_directory(a_)) {
      compare_folders();
    } else {
      const model::GraphDump a = read("A", a_);
      compare(a, read("B", b_));
    }
    if (differences_ > shown_max)
      std::printf("... and %lld more\n", static_cast<long long>(differences_ - shown_max));
    std::printf("%s: %lld graphs, %lld nodes, %lld differences\n", differences_ == 0 ? "equal" : "different",
                static_cast<long long>(graphs_), static_cast<long long>(nodes_),
                static_cast<long long>(differences_));
    return differences_ == 0 ? exit_done : exit_slower;
  }

 private:
  static std::set<std::string> names_in(const std::string& folder) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") names.insert(entry.path().filename().string());
    }
    return names;
  }

  void compare_folders() {
    const std::set<std::string> in_a = names_in(a_);
    const std::set<std::string> in_b = names_in(b_);
    if (in_a.empty())
      throw InputError("A", in_quotes(a_) + " holds no .json file: give what --dump-graph wrote");
    for (const std::string& name : in_a) {
      if (in_b.contains(name)) {
        const model::GraphDump a = read("A", fs::path(a_) / name);
        compare(a, read("B", fs::path(b_) / name));
      } else {
        differ(name + ": only in A");
      }
    }
    for (const std::string& name : in_b) {
      if (!in_a.contains(name)) differ(name + ": only in B");
    }
  }

  void compare(const model::GraphDump& a, const model::GraphDump& b) {
    if (a.pieces.size() != b.pieces.size())
      differ(a.cell + ": " + std::to_string(a.pieces.size()) + " graphs, " + std::to_string(b.pieces.size()) +
             " in B");
    for (std::size_t p = 0; p < std::min(a.pieces.size(), b.pieces.size()); ++p) {
      const std::string piece = a.cell + " piece " + std::to_string(p);
      const auto& ours = a.pieces[p].nodes;
      const auto& theirs = b.pieces[p].nodes;
      ++graphs_;
      if (ours.size() != theirs.size())
        differ(piece + ": " + std::to_string(ours.size()) + " nodes, " + std::to_string(theirs.size()) +
               " in B");
      for (std::size_t n = 0; n < std::min(ours.size(), theirs.size()); ++n) {
        ++nodes_;
        if (ours[n] == theirs[n]) continue;
        differ(piece + " node " + std::to_string(n) + ":\n  A " + text_of(ours[n]) + "\n  B " +
               text_of(theirs[n]));
      }
    }
  }

  void differ(const std::string& text) {
    if (++differences_ <= shown_max) std::printf("%s\n", text.c_str());
  }

  std::string a_;
  std::string b_;
  std::int64_t graphs_ = 0;
  std::int64_t nodes_ = 0;
  std::int64_t differences_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_graph_diff(Options& options) {
  return std::make_unique<GraphDiffCommand>(options);
}

}  // namespace graphbench::cli
