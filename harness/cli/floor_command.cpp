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
#include "harness/sweep/driver.hpp"
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

class FloorJob final : public Job {
 public:
  FloorJob(const config::SweepOptions& options, const ReportFormat& format, bool wants_json)
      : options_(options), format_(format), wants_json_(wants_json) {}

  void check() override {
    if (wants_json_) check_output_file("--json", options_.json, Stdout::allowed);
  }
  std::optional<int> plan(process::ProcessSupervisor&) override { return std::nullopt; }
  std::string outlook() const override { return "1 process"; }

  bool measure(process::ProcessSupervisor& supervisor) override {
    const floors::FloorRequest request{options_.device, true, options_.instruments};
    answer_ = floors::ask_floors(supervisor, process::own_command(floor_role), request,
                                 options_.worker_timeout_seconds);
    if (!answer_.reason) return true;
    // A value that the user gave, a device's name or a variable, may be the cause.
    if (answer_.reason->code == name_of(ErrorCode::invalid_argument))
      throw InputError(options_.where("device"), answer_.reason->message);
    throw Error(ErrorCode::device_failed, answer_.reason->message);
  }

  int deliver(process::ProcessSupervisor&) override {
    const codec::FloorsDocument document = document_of(answer_, options_.instruments);
    const std::string json = codec::to_json(document);
    const bool stdout_taken = wants_json_ && options_.json == "-";
    if (!options_.quiet) {
      format_.print(
          reporters::report_of(document.environment), [&] { return json; }, stdout_taken);
    }
    if (wants_json_) write_document(options_.json, json);
    return exit_done;
  }

 private:
  const config::SweepOptions& options_;
  const ReportFormat& format_;
  const bool wants_json_;
  floors::FloorAnswer answer_;
};

class FloorCommand final : public Command {
 public:
  explicit FloorCommand(Options& options) : options_(options), format_(options) {
    options.sweep_options(config::options_for("floor"));
    options.describe("--json", "write the floors as a document to FILE; - for stdout (default: none)");
    options.describe("--dry-run", "print the number of processes, and stop");
  }

  void check() override { format_.check(); }

  int run(const Invocation&) override {
    const config::SweepOptions options = config::check_options(options_.sweep());
    FloorJob job(options, format_, options_.given("--json"));
    return drive(job, options);
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
