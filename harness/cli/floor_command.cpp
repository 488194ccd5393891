// graphbench floor: what this machine can do at best.
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "graphbench_version.hpp"
#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/instruments.hpp"
#include "harness/cli/streams.hpp"
#include "harness/floor/ask_floors.hpp"
#include "harness/machine/cpu_mood.hpp"
#include "harness/model/input_error.hpp"
#include "harness/sweep/environment.hpp"
#include "harness/sweep/probe.hpp"
#include "reporters/console/floor_table.hpp"
#include "harness/codec/documents.hpp"
#include "reporters/json/write_file.hpp"

namespace graphbench::cli {
namespace {

void check_path(const config::SweepOptions& options) {
  if (options.json == "-") return;
  try {
    reporters::check_writable(options.json);
  } catch (const std::exception& error) {
    throw InputError(
        options.where("json"),
        std::string(error.what()) + ": give a file in a folder that exists and can be written, or -");
  }
}

void write_document(const model::FloorsDocument& document, const std::string& path) {
  const std::string text = codec::to_json(document);
  if (path != "-") {
    reporters::write_file_atomically(path, text);
    return;
  }
  std::cout << text << std::flush;
  if (!std::cout) throw Error(ErrorCode::io, "--json: stdout could not be written");
}

}  // namespace

int floor_command(const Arguments& arguments) {
  const config::SweepOptions options = config::check_options(arguments.options);
  const bool wants_json = arguments.options.contains("json");
  if (wants_json) check_path(options);
  check_cpu(options);
  sweep::ProcessSupervisor supervisor;
  const floors::FloorRequest request{options.device, true, options.instruments};
  const floors::FloorAnswer answer = floors::ask_floors(supervisor, sweep::own_command("--floor-process"),
                                                        request, options.worker_timeout_seconds);
  if (!answer.failure.empty()) throw Error(ErrorCode::device_failed, answer.failure);

  model::FloorsDocument document;
  document.tool_version = GRAPHBENCH_VERSION;
  document.tool_commit = GRAPHBENCH_COMMIT;
  document.measured_at = sweep::utc_now();
  document.environment = sweep::read_environment();
  document.environment.device = answer.facts;
  document.environment.fingerprint = sweep::fingerprint_of(document.environment);
  document.environment.machine = machine::read_cpu_mood();
  document.environment.machine->pinned = options.instruments.pin;
  document.environment.floors = answer.floors;
  const bool stdout_taken = wants_json && options.json == "-";
  std::ostream& out = stdout_taken ? std::cerr : std::cout;
  if (!options.quiet) {
    reporters::print_floors(out, document.environment,
                            wants_colours(stdout_taken ? STDERR_FILENO : STDOUT_FILENO));
  }
  if (wants_json) write_document(document, options.json);
  return exit_done;
}

}  // namespace graphbench::cli
