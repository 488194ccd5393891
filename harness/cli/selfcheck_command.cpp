// graphbench selfcheck: this binary against itself, round after round.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>

#include "graphbench_version.hpp"
#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/console_progress.hpp"
#include "harness/cli/instruments.hpp"
#include "harness/cli/planning.hpp"
#include "harness/cli/streams.hpp"
#include "harness/cli/verdict.hpp"
#include "harness/model/input_error.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/process/utc_now.hpp"
#include "harness/verdict/ab/cell_tasks.hpp"
#include "harness/verdict/ab/run_interleaved.hpp"
#include "harness/verdict/ab/scratch_folder.hpp"
#include "harness/verdict/selfcheck/self_check.hpp"
#include "reporters/console/self_check_table.hpp"
#include "reporters/json/self_check_json.hpp"
#include "reporters/json/write_file.hpp"

namespace graphbench::cli {
namespace {

struct Measured {
  std::vector<selfcheck::Round> rounds;
  bool interrupted = false;
  std::int64_t cells_failed = 0;  // of the round that lost most
};

// Through files, because that is how documents are read.
compare::Side side_of(const ab::ScratchFolder& folder, const std::string& name, const std::string& document) {
  if (document.empty())
    throw Error(ErrorCode::device_failed, "measure a round: no sweep came to a result; try it with --sweep");
  const std::string path = folder.file(name);
  reporters::write_file_atomically(path, document);
  return compare::read_side(path);
}

Measured measure(const AbArguments& asked, ab::InterleavedRequest request,
                 process::ProcessSupervisor& supervisor) {
  const ab::ScratchFolder folder;
  Measured measured;
  for (std::int64_t round = 0; round < asked.rounds && !measured.interrupted; ++round) {
    if (!request.options.quiet)
      std::fprintf(stderr, "round %lld of %lld\n", static_cast<long long>(round + 1),
                   static_cast<long long>(asked.rounds));
    ConsoleProgress progress(request.options.quiet);
    const ab::InterleavedOutcome outcome = ab::run_interleaved(request, supervisor, progress);
    progress.finish();
    measured.interrupted = outcome.interrupted;
    measured.cells_failed = std::max(measured.cells_failed, outcome.cells_failed);
    if (outcome.interrupted) break;
    measured.rounds.emplace_back(side_of(folder, "base.json", outcome.base_document),
                                 side_of(folder, "new.json", outcome.new_document));
    // No two rounds share an order or data.
    request.seed += static_cast<std::uint64_t>(request.plan.facts.launches);
  }
  if (measured.rounds.empty()) throw process::Interrupted();
  return measured;
}

void check_json(const std::string& path) {
  if (path.empty() || path == "-") return;
  try {
    reporters::check_writable(path);
  } catch (const std::exception& error) {
    throw InputError("--json", std::string(error.what()) +
                                   ": give a file in a folder that exists and can be written, or -");
  }
}

std::string field_of(const compare::Side& side, const std::string& name) {
  const auto found = side.facts.fields.find(name);
  return found == side.facts.fields.end() ? "" : found->second;
}

void add_facts(const AbArguments& asked, const Measured& measured, model::SelfCheck& check) {
  const compare::Side& first = measured.rounds.front().first;
  check.tool_version = GRAPHBENCH_VERSION;
  check.tool_commit = GRAPHBENCH_COMMIT;
  check.finished_at = process::utc_now();
  check.device_name = field_of(first, "device.name");
  check.fingerprint = field_of(first, "fingerprint");
  check.plan_hash = field_of(first, "plan");
  check.rounds_asked = asked.rounds;
  check.cells_failed = measured.cells_failed;
}

void show(const model::SelfCheck& check, const AbArguments& asked) {
  const bool stdout_taken = asked.json == "-";
  if (stdout_taken) {
    std::cout << reporters::to_json(check) << std::flush;
    if (!std::cout) throw Error(ErrorCode::io, "--json: stdout could not be written");
  } else if (!asked.json.empty()) {
    reporters::write_file_atomically(asked.json, reporters::to_json(check));
  }
  std::ostream& out = stdout_taken ? std::cerr : std::cout;
  reporters::print_self_check(out, check, wants_colours(stdout_taken ? STDERR_FILENO : STDOUT_FILENO));
  out << std::flush;
}

}  // namespace

int selfcheck_command(const Arguments& arguments) {
  const AbArguments& asked = arguments.ab;
  const VerdictRequest verdict(asked.verdict);
  check_json(asked.json);
  ab::InterleavedRequest request;
  request.raw = asked.sweep;
  request.options = config::check_options(asked.sweep);
  check_cpu(request.options);
  const std::string binary = std::filesystem::read_symlink("/proc/self/exe").string();
  request.base = {"selfcheck", binary, {}};
  request.now = request.base;
  request.seed = static_cast<std::uint64_t>(request.options.seed);
  process::ProcessSupervisor supervisor;
  request.plan = make_checked_plan(request.options, arguments.argv, supervisor).plan;
  if (asked.cell_processes) request.plan = ab::one_cell_a_task(std::move(request.plan));
  const std::string started_at = process::utc_now();
  const Measured measured = measure(asked, std::move(request), supervisor);
  selfcheck::CheckOptions options;
  options.settings = verdict.settings;
  model::SelfCheck check = selfcheck::check_rounds(measured.rounds, options);
  check.started_at = started_at;
  add_facts(asked, measured, check);
  show(check, asked);
  if (measured.interrupted) {
    std::fprintf(stderr, "graphbench: interrupted; the rounds that were finished are kept\n");
    return exit_interrupted;
  }
  return measured.cells_failed > 0 ? exit_cells_failed : exit_done;
}

}  // namespace graphbench::cli
