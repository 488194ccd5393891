// graphbench ab: two binaries, or one under two environments, measured side by side.
#include <cstdio>
#include <filesystem>

#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/console_progress.hpp"
#include "harness/cli/instruments.hpp"
#include "harness/cli/planning.hpp"
#include "harness/cli/verdict.hpp"
#include "harness/model/input_error.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/verdict/ab/cell_tasks.hpp"
#include "harness/verdict/ab/confirm.hpp"
#include "harness/verdict/ab/run_interleaved.hpp"
#include "harness/verdict/compare/compare.hpp"
#include "harness/verdict/compare/read_side.hpp"
#include "reporters/json/write_file.hpp"

namespace graphbench::cli {
namespace {

// Where the two documents go.
struct Files {
  std::string base;
  std::string now;
};

void check_file(const std::string& where, const std::string& path) {
  if (path == "-") throw InputError(where, "\"-\" is stdout, where the verdict goes: give a file");
  try {
    reporters::check_writable(path);
  } catch (const std::exception& error) {
    throw InputError(where,
                     std::string(error.what()) + ": give a file in a folder that exists and can be written");
  }
}

Files files_of(const AbArguments& asked) {
  if (asked.json_base == asked.json_new)
    throw InputError("--json-new", in_quotes(asked.json_new) + " is the file of --json-base too");
  check_file("--json-base", asked.json_base);
  check_file("--json-new", asked.json_new);
  const auto place = [](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  for (const std::string& path : {asked.json_base, asked.json_new}) {
    if (asked.verdict.output.empty() || place(path) != place(asked.verdict.output)) continue;
    throw InputError("-o", in_quotes(asked.verdict.output) + " is where a result goes: give another");
  }
  return {asked.json_base, asked.json_new};
}

// "graphbench-base.json" to "graphbench-base.again.json".
std::string again(const std::string& path) {
  std::filesystem::path name = path;
  const std::string extension = name.extension().string();
  return name.replace_extension(".again" + extension).string();
}

// This very binary, whatever stands at its path by now.
std::string own_binary() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

ab::Target target_of(const char* where, const std::string& binary,
                     const std::vector<std::string>& environment, const char* environment_where) {
  for (const std::string& variable : environment) ab::check_variable(environment_where, variable);
  return {where, binary.empty() ? own_binary() : binary, environment};
}

ab::InterleavedOutcome measure(const ab::InterleavedRequest& request,
                               process::ProcessSupervisor& supervisor) {
  ConsoleProgress progress(request.options.quiet);
  ab::InterleavedOutcome outcome = ab::run_interleaved(request, supervisor, progress);
  progress.finish();
  return outcome;
}

void keep(const ab::InterleavedOutcome& outcome, const Files& files) {
  if (outcome.interrupted && outcome.base_document.empty() && outcome.new_document.empty())
    throw process::Interrupted();
  const auto write = [](const std::string& path, const std::string& document) {
    if (!document.empty()) reporters::write_file_atomically(path, document);
  };
  write(files.base, outcome.base_document);
  write(files.now, outcome.new_document);
}

int interrupted(const Files& files) {
  std::fprintf(stderr, "graphbench: interrupted; what was measured is kept in %s and %s\n",
               files.base.c_str(), files.now.c_str());
  return exit_interrupted;
}

model::Comparison compare_files(const Files& files, const model::ComparisonSettings& settings) {
  return compare::compare(compare::read_side(files.base), compare::read_side(files.now), settings);
}

// Every launch of a side failed before it had a device to speak of.
void check_measured(const ab::InterleavedOutcome& outcome, const ab::InterleavedRequest& request) {
  for (const auto& [document, target] :
       {std::pair(&outcome.base_document, &request.base), std::pair(&outcome.new_document, &request.now)}) {
    if (document->empty()) {
      throw Error(ErrorCode::device_failed,
                  "measure " + target->binary + ": no sweep of it came to a result; try it with --sweep");
    }
  }
}

int run(const AbArguments& asked, const VerdictRequest& verdict, ab::InterleavedRequest request,
        process::ProcessSupervisor& supervisor) {
  const Files files = files_of(asked);
  const ab::InterleavedOutcome outcome = measure(request, supervisor);
  keep(outcome, files);
  if (outcome.interrupted) return interrupted(files);
  check_measured(outcome, request);
  model::Comparison comparison = compare_files(files, verdict.settings);
  if (asked.confirm && comparison.counts.slower > 0) {
    const Files more{again(files.base), again(files.now)};
    request.plan = ab::plan_to_confirm(request.plan, comparison);
    request.seed += static_cast<std::uint64_t>(request.plan.facts.launches);
    const ab::InterleavedOutcome second = measure(request, supervisor);
    keep(second, more);
    if (second.interrupted) return interrupted(files);
    check_measured(second, request);
    ab::apply_confirmation(comparison, compare_files(more, verdict.settings));
  }
  print_verdict(comparison, verdict);
  const int exit_code = exit_code_of(comparison);
  return exit_code == exit_done && outcome.cells_failed > 0 ? exit_cells_failed : exit_code;
}

}  // namespace

int ab_command(const Arguments& arguments) {
  const AbArguments& asked = arguments.ab;
  const VerdictRequest verdict(asked.verdict);
  ab::InterleavedRequest request;
  request.raw = asked.sweep;
  request.options = config::check_options(asked.sweep);
  check_cpu(request.options);
  request.base = target_of("--base", asked.base, asked.base_environment, "--env-a");
  request.now = target_of("--new", asked.now, asked.new_environment, "--env-b");
  request.seed = static_cast<std::uint64_t>(request.options.seed);
  process::ProcessSupervisor supervisor;
  ab::check_target(supervisor, request.base);
  ab::check_target(supervisor, request.now);
  request.plan = make_checked_plan(request.options, arguments.argv, supervisor).plan;
  if (asked.cell_processes) request.plan = ab::one_cell_a_task(std::move(request.plan));
  return run(asked, verdict, std::move(request), supervisor);
}

}  // namespace graphbench::cli
