// Runs graphbench floor, which measures the least costs of launches, graphs and waits on this machine.
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "graphbench_version.hpp"
#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/floor/floor_process.hpp"
#include "harness/measure/machine/cpu_choice.hpp"
#include "harness/measure/machine/cpu_state.hpp"
#include "harness/measure/machine/environment.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/command.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/planning.hpp"
#include "harness/sweep/report/print_report.hpp"
#include "harness/sweep/report/result_report.hpp"

namespace graphbench::cli {
namespace {

codec::FloorsDocument document_of(const floors::FloorAnswer& answer,
                                  const model::InstrumentOptions& instruments) {
  codec::FloorsDocument document;
  document.tool_version = GRAPHBENCH_VERSION;
  document.tool_commit = GRAPHBENCH_COMMIT;
  document.measured_at = utc_now();
  document.environment = machine::read_environment(answer.facts);
  document.environment.machine = machine::read_cpu_state(instruments);
  document.environment.machine->submitter =
      machine::choose_submitter(instruments, machine::allowed_cpus(), answer.facts.pci_bus_id);
  document.environment.floors = answer.floors;
  return document;
}

class FloorCommand final : public Command {
 public:
  explicit FloorCommand(Options& options) : options_(options), format_(options) {
    options.sweep_options(config::options_for("floor"));
    options.describe("--json", "write the floors as a document to FILE; - for stdout (default: none)");
  }

  void check() override { format_.check(); }

  int run(const Invocation&) override {
    const config::SweepOptions options = config::check_options(options_.sweep());
    const bool wants_json = options_.given("--json");
    if (wants_json) check_output_file("--json", options.json, Stdout::allowed);
    check_cpu(options);
    process::ProcessSupervisor supervisor;
    const floors::FloorRequest request{options.device, true, options.instruments};
    const floors::FloorAnswer answer = floors::ask_floors(supervisor, process::own_command(floor_role),
                                                          request, options.worker_timeout_seconds);
    if (answer.reason) {
      // A value that the user gave, a device's name or a variable, may be the cause.
      if (answer.reason->code == name_of(ErrorCode::invalid_argument))
        throw InputError(options.where("device"), answer.reason->message);
      throw Error(ErrorCode::device_failed, answer.reason->message);
    }
    const codec::FloorsDocument document = document_of(answer, options.instruments);
    const std::string json = codec::to_json(document);
    const bool stdout_taken = wants_json && options.json == "-";
    if (!options.quiet) {
      format_.print(
          reporters::report_of(document.environment), [&] { return json; }, stdout_taken);
    }
    if (wants_json) write_document(options.json, json);
    return exit_done;
  }

 private:
  const Options& options_;
  ReportFormat format_;
};

}  // namespace

std::unique_ptr<Command> make_floor(Options& options) {
  return std::make_unique<FloorCommand>(options);
}

}  // namespace graphbench::cli
