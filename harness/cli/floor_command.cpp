// Runs graphbench floor, which measures the least costs of launches, graphs and waits on this machine.
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

constexpr double estimated_seconds = 3;

model::FloorsDocument document_of(const measure::FloorAnswer& answer,
                                  const model::InstrumentOptions& instruments) {
  model::FloorsDocument document;
  document.tool_version = GRAPHBENCH_VERSION;
  document.tool_commit = GRAPHBENCH_COMMIT;
  document.measured_at = utc_now();
  document.environment = measure::read_environment(answer.facts);
  document.environment.machine = measure::read_cpu_state(instruments);
  document.environment.machine->submitter =
      measure::choose_submitter(instruments, measure::allowed_cpus(), answer.facts.pci_bus_id);
  document.environment.floors = answer.floors;
  return document;
}

class FloorJob final : public sweep::Job {
 public:
  FloorJob(const options::SweepOptions& options, const sweep::ReportFormat& format, bool wants_json)
      : options_(options), format_(format), wants_json_(wants_json) {}

  std::string name() const override { return "floor"; }
  void check() override {}
  std::vector<sweep::Output> outputs() override {
    return {{"--json", wants_json_ ? options_.json : "", [&] { return model::to_json(document_); },
             options::Stdout::allowed}};
  }
  std::optional<int> plan(process::ProcessSupervisor&) override { return std::nullopt; }
  sweep::Outlook outlook(const sweep::Earlier&) const override {
    return {.what = "1 process", .seconds = estimated_seconds, .checked = false};
  }

  bool measure(sweep::Run& run) override {
    const measure::FloorRequest request{options_.device, true, options_.instruments};
    answer_ = measure::ask_floors(run.supervisor, process::own_command(options::floor_role), request,
                                  options_.worker_timeout_seconds);
    if (!answer_.reason) return true;
    // A value that the user gave, a device's name or a variable, may be the cause.
    if (answer_.reason->code == name_of(ErrorCode::invalid_argument))
      throw InputError(options_.where("device"), answer_.reason->message);
    throw Error(ErrorCode::device_failed, answer_.reason->message);
  }

  void summarise() override { document_ = document_of(answer_, options_.instruments); }

  sweep::Findings findings(bool) override {
    if (options_.quiet) return {};
    return {.report = sweep::report_of(document_.environment),
            .format = format_.format(),
            .document = outputs().front().text};
  }

 private:
  const options::SweepOptions& options_;
  const sweep::ReportFormat& format_;
  const bool wants_json_;
  measure::FloorAnswer answer_;
  model::FloorsDocument document_;
};

class FloorCommand final : public options::Command {
 public:
  explicit FloorCommand(options::Options& options) : options_(options), format_(options) {
    options.sweep_options(options::options_for("floor"));
    options.describe("--json", "write the floors as a document to FILE; - for stdout (default: none)");
    options.describe("--dry-run", "print the number of processes and the estimated time, and stop");
  }

  void check() override { format_.check(); }

  int run(const options::Invocation&) override {
    const options::SweepOptions options = options::check_options(options_.sweep());
    FloorJob job(options, format_, options_.given("--json"));
    return sweep::drive(job, options);
  }

 private:
  const options::Options& options_;
  sweep::ReportFormat format_;
};

}  // namespace

std::unique_ptr<options::Command> make_floor(options::Options& options) {
  return std::make_unique<FloorCommand>(options);
}

}  // namespace graphbench::cli
