// Runs graphbench merge, which makes one result of the shards of one plan.
#include "harness/options/command.hpp"

#include <cstdio>

#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/compare/settings.hpp"
#include "harness/judge/merge/merge_shards.hpp"
#include "harness/model/comparison.hpp"
#include "harness/options/output.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* merge_footer =
    "SHARD is what --sweep --shard I/N wrote, or a folder of such files. Exit codes: 0 merged; 2 bad usage "
    "or\n"
    "input, nothing is written; 3 something of the plan is missing, nothing is written without --partial, "
    "or\n"
    "some cells failed. docs/shards.md says what is checked.\n";

class MergeCommand final : public Command {
 public:
  explicit MergeCommand(Options& options) {
    options.footer(merge_footer);
    options.words("SHARD", paths_, "documents of shards, or folders of them");
    options.text("-o,--output", output_, "FILE", "where the merged document goes; - for stdout");
    options.flag("--partial", partial_, "merge what is there, although something is missing");
    options.text("--allow", allow_, "FIELD,...", "merge although these differ: device, ...");
  }

  void check() override {
    if (paths_.empty()) throw InputError("merge", "SHARD is missing: graphbench merge SHARD... -o FILE");
    if (output_.empty()) throw InputError("-o", "it is missing: graphbench merge SHARD... -o FILE");
  }

  int run(const Invocation&) override {
    model::ComparisonSettings settings;
    if (!allow_.empty()) compare::set_allow(allow_, settings);
    for (const std::string& path : paths_) {
      if (same_file(path, output_))
        throw InputError("-o", in_quotes(output_) + " is one of the shards: give another");
    }
    check_output_file("-o", output_, Stdout::allowed);
    merge::ShardMerge merged(merge::documents_in(paths_, output_), settings.allow);
    const std::vector<std::string> missing = merged.missing();
    for (const std::string& line : missing) complain("%s", line.c_str());
    if (!missing.empty() && !partial_) {
      complain("nothing was written: measure what is missing, or give --partial");
      return exit_cells_failed;
    }
    write(merged);
    if (output_ != "-")
      std::printf("%zu %s, %zu cells: %s\n", merged.shards(), merged.shards() == 1 ? "shard" : "shards",
                  merged.cells(), output_.c_str());
    if (merged.cells_failed() == 0) return exit_done;
    complain("%lld of %zu cells failed", static_cast<long long>(merged.cells_failed()), merged.cells());
    return exit_cells_failed;
  }

 private:
  void write(merge::ShardMerge& merged) const {
    if (output_ == "-") {
      merged.write([](std::string_view part) { std::fwrite(part.data(), 1, part.size(), stdout); });
    } else {
      write_file_atomically(output_, WriteParts([&](const auto& part) { merged.write(part); }));
    }
  }

  std::vector<std::string> paths_;
  std::string output_;
  std::string allow_;
  bool partial_ = false;
};

}  // namespace

std::unique_ptr<Command> make_merge(Options& options) {
  return std::make_unique<MergeCommand>(options);
}

}  // namespace graphbench::cli
