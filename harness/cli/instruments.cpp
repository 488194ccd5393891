// Asks the instruments and hands what they say to the result.
#include "harness/cli/instruments.hpp"

#include "graphs/ir/error.hpp"
#include "harness/cli/commands.hpp"
#include "harness/floor/ask_floors.hpp"
#include "harness/machine/cpu_state.hpp"
#include "harness/machine/pinning.hpp"
#include "harness/model/input_error.hpp"
#include "harness/process/process_supervisor.hpp"
#include "harness/statistics/submit_floor.hpp"

namespace graphbench::cli {

void check_cpu(const config::SweepOptions& options) {
  if (!options.instruments.cpu) return;
  try {
    static_cast<void>(machine::submitter_cpus(options.instruments, machine::allowed_cpus()));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    throw InputError(options.where("cpu"), error.what());
  }
}

Conditions read_conditions(const model::Plan& plan, const config::SweepOptions& options,
                           process::ProcessSupervisor& supervisor) {
  const model::InstrumentOptions& instruments = plan.tasks.front().instruments;
  Conditions conditions;
  conditions.machine = machine::read_cpu_state();
  conditions.machine.pinned = instruments.pin;
  conditions.machine.submitter = instruments.submitter;
  const floors::FloorRequest request{plan.device, false, instruments};
  const floors::FloorAnswer answer = floors::ask_floors(supervisor, process::own_command(floor_role), request,
                                                        options.worker_timeout_seconds);
  if (answer.failure.empty()) {
    conditions.floors = answer.floors;
  } else {
    conditions.warning = "the floors of " + plan.device + " could not be measured: " + answer.failure;
  }
  return conditions;
}

void add_conditions(const Conditions& conditions, sweep::SweepOutcome& outcome) {
  model::Environment& environment = outcome.result.environment;
  environment.machine = conditions.machine;
  environment.floors = conditions.floors;
  if (!conditions.warning.empty()) outcome.warnings.push_back(conditions.warning);
  if (conditions.floors) statistics::add_submit_over_floor(*conditions.floors, outcome.result.cells);
}

}  // namespace graphbench::cli
