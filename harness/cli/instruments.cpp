// Asks the instruments and hands what they say to the result.
#include "harness/cli/instruments.hpp"

#include <cstdio>
#include <exception>

#include "graphs/ir/error.hpp"
#include "harness/floor/ask_floors.hpp"
#include "harness/machine/cpu_state.hpp"
#include "harness/machine/pinning.hpp"
#include "harness/model/input_error.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/statistics/submit_floor.hpp"
#include "reporters/json/trace_json.hpp"
#include "reporters/json/write_file.hpp"

namespace graphbench::cli {

void check_cpu(const config::SweepOptions& options) {
  try {
    static_cast<void>(machine::submitter_cpus(options.instruments, machine::allowed_cpus()));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw InputError(options.where("cpu"), error.what());
  }
}

Surroundings read_surroundings(const std::string& device, const config::SweepOptions& options,
                               process::ProcessSupervisor& supervisor) {
  Surroundings surroundings;
  surroundings.machine = machine::read_cpu_state();
  surroundings.machine.pinned = options.instruments.pin;
  const floors::FloorRequest request{device, false, options.instruments};
  const floors::FloorAnswer answer = floors::ask_floors(supervisor, process::own_command("--floor-process"),
                                                        request, options.worker_timeout_seconds);
  if (answer.failure.empty()) {
    surroundings.floors = answer.floors;
  } else {
    surroundings.warning = "the floors of " + device + " could not be measured: " + answer.failure;
  }
  return surroundings;
}

void add_surroundings(const Surroundings& surroundings, sweep::SweepOutcome& outcome) {
  model::Environment& environment = outcome.result.environment;
  environment.machine = surroundings.machine;
  environment.floors = surroundings.floors;
  if (!surroundings.warning.empty()) outcome.warnings.push_back(surroundings.warning);
  if (surroundings.floors) statistics::add_submit_over_floor(*surroundings.floors, outcome.result.cells);
}

bool write_trace(const sweep::SweepOutcome& outcome, const config::SweepOptions& options) {
  if (options.trace.empty()) return true;
  try {
    reporters::write_file_atomically(options.trace, reporters::to_chrome_trace(outcome.trace));
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench: %s: %s\n", options.where("trace").c_str(), error.what());
  }
  return false;
}

}  // namespace graphbench::cli
