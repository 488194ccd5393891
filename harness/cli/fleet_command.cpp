// graphbench fleet: which GPU or node is not like the others.
#include <unistd.h>

#include <iostream>

#include "graphbench_version.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/output.hpp"
#include "harness/codec/documents.hpp"
#include "harness/model/comparison.hpp"
#include "harness/model/input_error.hpp"
#include "harness/verdict/compare/settings.hpp"
#include "harness/verdict/fleet/judge_fleet.hpp"
#include "harness/verdict/fleet/read_replicas.hpp"
#include "harness/verdict/merge/merge_shards.hpp"
#include "reporters/console/tables.hpp"
#include "reporters/json/write_file.hpp"
#include "reporters/prometheus/fleet_series.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* fleet_footer =
    "FOLDER has a result document a GPU, or several (--shard-by replica, --device all). Exit codes: 0 no\n"
    "outlier; 2 bad usage or input; 10 a GPU or node is slower than the others. docs/fleet.md says how.\n";

class FleetCommand final : public Command {
 public:
  explicit FleetCommand(Options& options) {
    options.footer(fleet_footer);
    options.words("FOLDER", paths_, "folders of documents, or documents");
    options.text("--json", json_, "FILE", "where the findings go as JSON; - for stdout");
    options.text("--prometheus-textfile", textfile_, "FILE", "where metrics go, for the node exporter");
    options.text("--alpha", alpha_, "RATE",
                 "share of fleets without a slow GPU or node in which one is called slow, at most (0.01)");
    options.text("--allow", allow_, "FIELD,...", "take documents although these differ: fingerprint, ...");
  }

  void check() override {
    if (paths_.empty()) throw InputError("fleet", "FOLDER is missing: graphbench fleet FOLDER");
  }

  int run(const Invocation&) override {
    model::ComparisonSettings settings;
    settings.alpha = 0.01;
    if (!alpha_.empty()) compare::set_alpha(alpha_, settings);
    if (!allow_.empty()) compare::set_allow(allow_, settings);
    if (!json_.empty()) check_output_file("--json", json_, Stdout::allowed);
    if (!textfile_.empty()) check_output_file("--prometheus-textfile", textfile_, Stdout::refused);
    for (const std::string& path : paths_) {
      if (same_file(path, json_)) throw InputError("--json", in_quotes(json_) + " is read: give another");
    }
    model::Fleet fleet = fleet::judge_fleet(
        fleet::read_replicas(merge::documents_in(paths_, json_), settings.allow), settings.alpha);
    fleet.tool_version = GRAPHBENCH_VERSION;
    fleet.tool_commit = GRAPHBENCH_COMMIT;
    if (!json_.empty()) write_document(json_, codec::to_json(fleet));
    if (!textfile_.empty()) reporters::write_file_atomically(textfile_, reporters::fleet_text(fleet));
    const bool stdout_taken = json_ == "-";
    std::ostream& out = stdout_taken ? std::cerr : std::cout;
    reporters::print_fleet(out, fleet, wants_colours(stdout_taken ? STDERR_FILENO : STDOUT_FILENO));
    out << std::flush;
    return fleet.outliers() > 0 ? exit_slower : exit_done;
  }

 private:
  std::vector<std::string> paths_;
  std::string json_;
  std::string textfile_;
  std::string alpha_;
  std::string allow_;
};

}  // namespace

std::unique_ptr<Command> make_fleet(Options& options) {
  return std::make_unique<FleetCommand>(options);
}

}  // namespace graphbench::cli
