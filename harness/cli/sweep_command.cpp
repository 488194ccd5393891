// graphbench --sweep: check, ask the probe, plan, check the programs, run, write, show.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/console_progress.hpp"
#include "harness/cli/instruments.hpp"
#include "harness/cli/planning.hpp"
#include "harness/cli/publishing.hpp"
#include "harness/cli/service_teller.hpp"
#include "harness/cli/streams.hpp"
#include "harness/model/input_error.hpp"
#include "harness/statistics/submit_floor.hpp"
#include "harness/sweep/run_sweep.hpp"
#include "reporters/console/table.hpp"
#include "reporters/json/result_json.hpp"
#include "reporters/json/write_file.hpp"
#include "reporters/samples/sample_file.hpp"

namespace graphbench::cli {
namespace {

// Passes everything on to whoever listens, cells with what follows from the floors.
class Listeners final : public sweep::SweepListener {
 public:
  Listeners(std::vector<sweep::SweepListener*> listeners, const std::optional<model::Floors>& floors)
      : listeners_(std::move(listeners)), floors_(floors) {}
  void update(const model::Progress& progress) override {
    for (sweep::SweepListener* listener : listeners_) listener->update(progress);
  }
  void cells_done(const std::vector<model::CellResult>& told) override {
    std::vector<model::CellResult> cells = told;
    if (floors_) statistics::add_submit_over_floor(*floors_, cells);
    for (sweep::SweepListener* listener : listeners_) listener->cells_done(cells);
  }

 private:
  std::vector<sweep::SweepListener*> listeners_;
  const std::optional<model::Floors>& floors_;
};

int dump_programs(const std::vector<std::string>& dumps) {
  for (const std::string& dump : dumps) {
    std::fputs(dump.c_str(), stdout);
    if (!dump.ends_with('\n')) std::fputc('\n', stdout);
  }
  return exit_done;
}

sweep::SweepOutcome measure(const model::Plan& plan, const plan::Catalog& catalog,
                            const config::SweepOptions& options, const Surroundings& surroundings,
                            process::ProcessSupervisor& supervisor, publish::Publisher& publisher,
                            const Arguments& arguments) {
  sweep::SweepSettings settings{process::own_command("--worker"), options.worker_timeout_seconds};
  ConsoleProgress console(options.quiet);
  std::vector<sweep::SweepListener*> listeners = {&publisher, &console};
  std::optional<ServiceTeller> teller;
  if (arguments.served) {
    const std::string identity = ServiceTeller::identity_of(plan, catalog.facts);
    // What a plugin's file held when they were measured is not known.
    if (options.plugins.empty()) {
      settings.finished = ServiceTeller::finished_cells(arguments.kept, identity);
    }
    listeners.push_back(&teller.emplace(plan.device, catalog.facts, identity));
  }
  Listeners progress(std::move(listeners), surroundings.floors);
  publisher.begin(plan.device, catalog.facts);
  sweep::SweepOutcome outcome = sweep::run_sweep(plan, catalog.facts, settings, supervisor, progress);
  console.finish();
  return outcome;
}

void show_table(const model::Result& result, const config::SweepOptions& options, bool written) {
  const bool stdout_taken = options.json == "-";
  const int descriptor = stdout_taken ? STDERR_FILENO : STDOUT_FILENO;
  std::ostream& out = stdout_taken ? std::cerr : std::cout;
  reporters::TableOptions table;
  table.colours = wants_colours(descriptor);
  table.width = width_of(descriptor, table.width);
  if (!stdout_taken && written) table.json_path = options.json;
  reporters::print_table(out, result, table);
  out.flush();
}

// False, after a line on stderr, where the document could not be written.
bool write_document(const model::Result& result, const config::SweepOptions& options) {
  try {
    const std::string document = reporters::to_json(result);
    if (options.json != "-") {
      reporters::write_file_atomically(options.json, document);
      return true;
    }
    std::cout << document << std::flush;
    if (std::cout) return true;
    std::fprintf(stderr, "graphbench: --json: stdout could not be written\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench: %s: %s\n", options.where("json").c_str(), error.what());
  }
  return false;
}

// As write_document, for the file of `--samples`.
bool write_samples(const model::Result& result, const config::SweepOptions& options) {
  if (options.samples.empty()) return true;
  try {
    reporters::write_file_atomically(options.samples, reporters::to_sample_file(result));
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench: %s: %s\n", options.where("samples").c_str(), error.what());
  }
  return false;
}

void say_what_failed(const sweep::SweepOutcome& outcome) {
  for (const std::string& warning : outcome.warnings)
    std::fprintf(stderr, "graphbench: warning: %s\n", warning.c_str());
  for (const model::CellResult& cell : outcome.result.cells) {
    if (cell.status != model::CellStatus::failed) continue;
    const model::Reason reason = cell.reason.value_or(model::Reason{"internal", "no reason was given"});
    std::fprintf(stderr, "graphbench: %lld of %zu cells failed, the first %s: %s: %s\n",
                 static_cast<long long>(outcome.cells_failed), outcome.result.cells.size(),
                 model::id_of(cell.cell).c_str(), reason.code.c_str(), reason.message.c_str());
    return;
  }
}

int report(const sweep::SweepOutcome& outcome, const config::SweepOptions& options) {
  const bool traced = write_trace(outcome, options);
  const bool written = write_document(outcome.result, options);
  const bool samples_written = write_samples(outcome.result, options);
  if (!options.quiet) show_table(outcome.result, options, written);
  say_what_failed(outcome);
  if (outcome.interrupted) {
    std::fprintf(stderr, "graphbench: interrupted; what was measured is kept\n");
    return exit_interrupted;
  }
  if (!written || !samples_written || !traced) return exit_error;
  return outcome.cells_failed > 0 ? exit_cells_failed : exit_done;
}

void check_output(const config::SweepOptions& options, const std::string& name, const std::string& path) {
  try {
    reporters::check_writable(path);
  } catch (const std::exception& error) {
    throw InputError(options.where(name), std::string(error.what()) +
                                              ": give a file in a folder that exists and can be written" +
                                              (name == "json" ? ", or -" : ""));
  }
}

// However the two are written: "r.json" and "./r.json" are one. An empty path is no file.
bool same_file(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code error;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return one == other || (whole(one) == whole(other) && !error);
}

// A file beside the document: stdout is the document's alone.
void check_beside(const config::SweepOptions& options, const std::string& name, const std::string& path) {
  if (path.empty()) return;
  if (path == "-") {
    throw InputError(options.where(name), "\"-\" is no file, and stdout takes --json alone: give a file");
  }
  check_output(options, name, path);
}

void check_outputs(const config::SweepOptions& options) {
  if (options.dump_program) return;
  if (options.json != "-") check_output(options, "json", options.json);
  check_beside(options, "trace", options.trace);
  if (same_file(options.trace, options.json) || same_file(options.trace, options.samples)) {
    throw InputError(options.where("trace"),
                     "\"" + options.trace + "\" is the file of --json or --samples too: give another");
  }
  check_beside(options, "samples", options.samples);
  if (same_file(options.samples, options.json)) {
    throw InputError(options.where("samples"),
                     "\"" + options.samples + "\" is the file of --json too: give another");
  }
}

}  // namespace

int sweep_command(const Arguments& arguments) {
  const config::SweepOptions options = config::check_options(arguments.options);
  check_outputs(options);
  check_cpu(options);
  process::ProcessSupervisor supervisor;
  const std::unique_ptr<publish::Publisher> publisher =
      options.dump_program ? nullptr : make_publisher(options);
  const auto [catalog, plan, dumps] = make_checked_plan(options, arguments.argv, supervisor);
  if (options.dump_program) return dump_programs(dumps);
  const Surroundings surroundings = read_surroundings(plan.device, options, supervisor);
  sweep::SweepOutcome outcome =
      measure(plan, catalog, options, surroundings, supervisor, *publisher, arguments);
  add_surroundings(surroundings, outcome);
  const int exit_code = report(outcome, options);
  const bool published = finish_publishing(*publisher, outcome, options, supervisor);
  return published || outcome.interrupted ? exit_code : exit_error;
}

}  // namespace graphbench::cli
