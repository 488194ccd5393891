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
#include "harness/machine/cpu_state.hpp"
#include "harness/machine/environment.hpp"
#include "harness/model/input_error.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/process/utc_now.hpp"
#include "reporters/console/floor_table.hpp"
#include "reporters/json/floors_json.hpp"
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
  const std::string text = reporters::floors_document(document);
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
  process::ProcessSupervisor supervisor;
  const floors::FloorRequest request{options.device, true, options.instruments};
  const floors::FloorAnswer answer = floors::ask_floors(supervisor, process::own_command("--floor-process"),
                                                        request, options.worker_timeout_seconds);
  if (!answer.failure.empty()) throw Error(ErrorCode::device_failed, answer.failure);

  model::FloorsDocument document;
  document.tool_version = GRAPHBENCH_VERSION;
  document.tool_commit = GRAPHBENCH_COMMIT;
  document.measured_at = process::utc_now();
  document.environment = machine::read_environment();
  document.environment.device = answer.facts;
  document.environment.fingerprint = machine::fingerprint_of(document.environment);
  document.environment.machine = machine::read_cpu_state();
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
