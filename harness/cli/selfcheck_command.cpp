// graphbench selfcheck: this binary against itself, round after round.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>

#include "graphbench_version.hpp"
#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/planning.hpp"
#include "harness/cli/verdict.hpp"
#include "harness/codec/documents.hpp"
#include "harness/config/numbers.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/model/input_error.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/process/utc_now.hpp"
#include "harness/verdict/ab/run_interleaved.hpp"
#include "harness/verdict/selfcheck/self_check.hpp"
#include "reporters/console/tables.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* selfcheck_footer =
    "Measures this binary against itself. Exit codes: 0 done; 2 bad usage or input; 3 some cells failed;\n"
    "130 interrupted (whole rounds are kept). docs/comparing.md says how the rounds are formed.\n";

struct SelfcheckArguments {
  std::int64_t rounds = 1;
  std::string json;  // empty: none
  VerdictArguments verdict;
};

struct Rounds {
  std::vector<selfcheck::Round> rounds;
  bool interrupted = false;
  std::int64_t cells_failed = 0;  // of the round that lost most
};

compare::Side side_of(const std::optional<model::Result>& result, const std::string& name) {
  if (!result)
    throw Error(ErrorCode::device_failed, "measure a round: no sweep came to a result; try it with --sweep");
  return compare::side_of(*result, name);
}

Rounds measure_rounds(std::int64_t rounds, ab::InterleavedRequest request,
                      process::ProcessSupervisor& supervisor) {
  Rounds measured;
  for (std::int64_t round = 0; round < rounds && !measured.interrupted; ++round) {
    if (!request.options.quiet)
      std::fprintf(stderr, "round %lld of %lld\n", static_cast<long long>(round + 1),
                   static_cast<long long>(rounds));
    ConsoleProgress progress(request.options.quiet);
    const ab::InterleavedOutcome outcome = ab::run_interleaved(request, supervisor, progress);
    progress.finish();
    measured.interrupted = outcome.interrupted;
    measured.cells_failed = std::max(measured.cells_failed, outcome.cells_failed);
    if (outcome.interrupted) break;
    measured.rounds.emplace_back(side_of(outcome.base, "base"), side_of(outcome.now, "new"));
    // No two rounds share an order or data.
    request.seed += static_cast<std::uint64_t>(request.plan.facts.launches);
  }
  if (measured.rounds.empty()) throw process::Interrupted();
  return measured;
}

void add_facts(const Rounds& measured, model::SelfCheck& check) {
  const compare::Side& first = measured.rounds.front().first;
  check.tool_version = GRAPHBENCH_VERSION;
  check.tool_commit = GRAPHBENCH_COMMIT;
  check.finished_at = process::utc_now();
  check.device_name = first.facts.field("device.name");
  check.fingerprint = first.facts.field("fingerprint");
  check.plan_hash = first.facts.field("plan");
  check.cells_failed = measured.cells_failed;
}

void show_check(const model::SelfCheck& check, const std::string& json) {
  if (!json.empty()) write_document(json, codec::to_json(check));
  const bool stdout_taken = json == "-";
  std::ostream& out = stdout_taken ? std::cerr : std::cout;
  reporters::print_self_check(out, check, wants_colours(stdout_taken ? STDERR_FILENO : STDOUT_FILENO));
  out << std::flush;
}

class SelfcheckCommand final : public Command {
 public:
  explicit SelfcheckCommand(Options& options) : sweep_(options, "selfcheck", "", {"json"}) {
    options.footer(selfcheck_footer);
    options.text("--rounds", rounds_, "N", "comparisons of this binary with itself (default: 4)");
    options.text("--json", asked_.json, "FILE", "where the findings go as JSON; - for stdout");
    options.text("--margin", asked_.verdict.margin, "LIST",
                 "as in compare (2%); launches are advised for it");
    options.text("--floor", asked_.verdict.floor, "LIST", "as in compare (200ns)");
    options.text("--alpha", asked_.verdict.alpha, "RATE", "as in compare (0.05)");
  }

  void check() override {
    sweep_.check();
    asked_.rounds = config::parse_within("--rounds", rounds_, {1, 1000}, " is not a number of rounds: give ");
  }

  int run(const Invocation& invocation) override {
    const VerdictRequest verdict(asked_.verdict);
    if (!asked_.json.empty()) check_output_file("--json", asked_.json, Stdout::allowed);
    ab::InterleavedRequest request = sweep_.request();
    request.base = {"selfcheck", std::filesystem::read_symlink("/proc/self/exe").string(), {}};
    request.now = request.base;
    process::ProcessSupervisor supervisor;
    request.plan = sweep_.plan(request, invocation.argv, supervisor);
    const std::string started_at = process::utc_now();
    const Rounds measured = measure_rounds(asked_.rounds, std::move(request), supervisor);
    selfcheck::CheckOptions options;
    options.settings = verdict.settings;
    model::SelfCheck check = selfcheck::check_rounds(measured.rounds, options);
    check.started_at = started_at;
    check.rounds_asked = asked_.rounds;
    add_facts(measured, check);
    show_check(check, asked_.json);
    if (measured.interrupted) {
      std::fprintf(stderr, "graphbench: interrupted; the rounds that were finished are kept\n");
      return exit_interrupted;
    }
    return measured.cells_failed > 0 ? exit_cells_failed : exit_done;
  }

 private:
  SelfcheckArguments asked_;
  std::string rounds_ = "4";
  SideBySideOptions sweep_;
};

}  // namespace

std::unique_ptr<Command> make_selfcheck(Options& options) {
  return std::make_unique<SelfcheckCommand>(options);
}

}  // namespace graphbench::cli
