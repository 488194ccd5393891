// Runs graphbench --sweep: asks the probe, plans, checks the programs, measures, writes and prints.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/machine/environment.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/command.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/output.hpp"
#include "harness/options/raw_options.hpp"
#include "harness/service/publish/publish_settings.hpp"
#include "harness/service/publish/publishing.hpp"
#include "harness/service/report/report.hpp"
#include "harness/sweep/devices.hpp"
#include "harness/sweep/driver.hpp"
#include "harness/sweep/journal.hpp"
#include "harness/sweep/plan/shards.hpp"
#include "harness/sweep/planning.hpp"
#include "harness/sweep/report/progress.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "harness/sweep/report/sample_file.hpp"
#include "harness/sweep/run_sweep.hpp"

namespace graphbench::cli {
namespace {

class Listeners final : public sweep::SweepListener {
 public:
  explicit Listeners(std::vector<sweep::SweepListener*> listeners) : listeners_(std::move(listeners)) {}
  void update(const model::Progress& progress) override {
    for (sweep::SweepListener* listener : listeners_) listener->update(progress);
  }
  void cells_done(const std::vector<model::CellResult>& cells) override {
    for (sweep::SweepListener* listener : listeners_) listener->cells_done(cells);
  }

 private:
  std::vector<sweep::SweepListener*> listeners_;
};

int dump_programs(const std::vector<std::string>& dumps) {
  for (const std::string& dump : dumps) {
    std::fputs(dump.c_str(), stdout);
    if (!dump.ends_with('\n')) std::fputc('\n', stdout);
  }
  return model::exit_done;
}

// Returns nullopt if the file is not a result document.
std::optional<model::DocumentInParts> earlier_result(const std::string& path) {
  try {
    const model::PaddedText text = model::read_text(path);
    return model::read_parts(text.view(), path);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Says which result will be replaced. An incomplete one of the same plan is from an interrupted run of this
// sweep, of which nothing needs to be said.
void say_what_is_replaced(const model::Plan& plan, const options::SweepOptions& options) {
  std::error_code error;
  if (options.quiet || !std::filesystem::is_regular_file(options.json, error)) return;
  const std::optional<model::DocumentInParts> earlier = earlier_result(options.json);
  if (!earlier || (!earlier->head.complete && earlier->head.plan.hash == plan.facts.hash)) return;
  complain("%s: replaces %s", options.json.c_str(),
           sweep::result_in_words(earlier->head, std::ssize(earlier->cells)).c_str());
}

sweep::SweepOutcome measure(const sweep::CheckedPlan& checked, const options::SweepOptions& options,
                            const sweep::Conditions& conditions, sweep::SweepListener& listener,
                            const sweep::Run& run) {
  sweep::SweepSettings settings{sweep::child_command(options, options::worker_role),
                                options.worker_timeout_seconds};
  settings.hostname = measure::read_environment().hostname;
  settings.floors = conditions.floors;
  settings.finished = run.earlier.finished;
  settings.finished_in = run.earlier.place;
  settings.keep = run.keep;
  settings.keep_samples = !options.samples.empty();
  return sweep::run_sweep(checked.plan, checked.catalog.facts, settings, run.supervisor, listener);
}

std::vector<std::string> failures_of(const sweep::SweepOutcome& outcome) {
  std::vector<std::string> lines;
  for (const std::string& warning : outcome.warnings) lines.push_back("warning: " + warning);
  for (const model::CellResult& cell : outcome.result.cells) {
    if (cell.status != model::CellStatus::failed) continue;
    const model::Reason reason = cell.reason.value_or(model::Reason{"internal", "no reason was given"});
    lines.push_back(std::to_string(outcome.cells_failed) + " of " +
                    std::to_string(outcome.result.cells.size()) + " cells failed; the first is " +
                    model::id_of(cell.cell) + ": " + reason.code + ": " + reason.message);
    break;
  }
  return lines;
}

void make_folder(const std::string& where, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!std::filesystem::is_directory(path) || access(path.c_str(), W_OK) != 0)
    throw InputError(where, in_quotes(path) + " is not a writable folder: give another folder");
}

class SweepJob final : public sweep::Job {
 public:
  SweepJob(const options::SweepOptions& options, const options::Invocation& invocation)
      : options_(options), invocation_(invocation) {}

  std::string name() const override { return "sweep"; }

  void check() override {
    if (options_.dump_program || options_.dry_run) return;
    if (!options_.caller.dump_graph.empty())
      make_folder(options_.where("dump-graph"), options_.caller.dump_graph);
    if (!options_.report.empty() && service::built_in_page.html.empty())
      throw InputError(options_.where("report"), service::no_page);
    publishing_ = service::check_publishing(options_);
  }

  std::vector<sweep::Output> outputs() override {
    if (options_.dump_program) return {};
    const model::Result& result = outcome_.result;
    const auto output = [&](const char* option, const std::string& path, std::function<std::string()> text) {
      return sweep::Output{options_.where(option), path, std::move(text)};
    };
    std::vector<sweep::Output> outputs = {
        output("json", options_.json, [&] { return model::to_json(result); }),
        output("samples", options_.samples, [&] { return sweep::to_sample_file(result); }),
        output("trace", options_.trace, [&] { return sweep::to_chrome_trace(outcome_.trace); }),
        output(
            "report", options_.report,
            [&] {
              return service::make_report(service::built_in_page, {{"the result", model::to_json(result)}});
            }),
        // The publisher writes this one, also while the sweep runs.
        output("prometheus-textfile", options_.prometheus.textfile, nullptr)};
    outputs.front().dash = options::Stdout::allowed;
    return outputs;
  }

  std::optional<int> plan(process::ProcessSupervisor& supervisor) override {
    checked_ = sweep::make_checked_plan(options_, invocation_.argv, supervisor);
    checked_.plan.facts.concurrent = join(invocation_.concurrent);
    return options_.dump_program ? std::optional(dump_programs(checked_.dumps)) : std::nullopt;
  }

  sweep::Outlook outlook(const sweep::Earlier& earlier) const override {
    const model::Plan& plan = checked_.plan;
    const sweep::Remainder left = sweep::remainder_of(plan, earlier.finished, earlier.here);
    return {sweep::plan_in_words(std::ssize(plan.cells), std::ssize(left.tasks)),
            sweep::estimated_seconds(left.tasks),
            std::to_string(left.taken_over.size()) + " of " + std::to_string(plan.tasks.size()) + " tasks"};
  }

  std::optional<sweep::Resumable> resumable() const override {
    sweep::Resumable run = sweep::resumable_of(checked_, options_);
    if (!options_.samples.empty()) run.identity.emplace_back("value of --samples", "given");
    run.start_over = invocation_.served;  // replaces another sweep's journal: the service owns the file
    return run;
  }

  void open() override {
    publisher_ = service::make_publisher(options_, std::move(publishing_));
    say_what_is_replaced(checked_.plan, options_);
  }

  bool measure(sweep::Run& run) override {
    const model::Plan& plan = checked_.plan;
    // Before read_conditions() measures floors, the publisher's threads must leave the submitting thread's
    // CPU.
    const std::vector<int> cpus =
        measure::submitter_cpus(plan.tasks.front().settings.instruments, measure::allowed_cpus());
    const service::SweepBegan began{
        plan.device, checked_.catalog.facts, {cpus.begin(), cpus.end()}, plan.facts.hash};
    publisher_->begin(began.device, began.facts, began.submitter);
    std::vector<sweep::SweepListener*> listeners = {publisher_.get(), &run.progress};
    if (invocation_.served) listeners.push_back(&service_.emplace(began));
    Listeners all(std::move(listeners));
    conditions_ = sweep::read_conditions(plan, options_, run.supervisor);
    outcome_ = cli::measure(checked_, options_, conditions_, all, run);
    return !outcome_.interrupted;
  }

  void summarise() override { sweep::add_conditions(conditions_, outcome_); }

  sweep::Findings findings(bool written) override {
    sweep::Findings found{
        .complaints = failures_of(outcome_),
        .exit_code = outcome_.cells_failed > 0 ? model::exit_cells_failed : model::exit_done};
    if (invocation_.served) return found;
    const bool in_file = written && options_.json != "-";
    found.report = sweep::report_of(outcome_.result, {}, in_file ? options_.json : "");
    if (invocation_.concurrent.empty() && !options_.quiet) return found;
    // Several devices have one stream, and --quiet leaves the last lines.
    std::vector<reporters::Card> conclusions = std::move(found.report->conclusions);
    found.report.emplace();
    if (!invocation_.concurrent.empty() && written)
      found.report->closing.push_back({.text = options_.json, .lead = options_.device});
    found.report->conclusions = std::move(conclusions);
    return found;
  }

  bool publish(process::ProcessSupervisor& supervisor) override {
    return service::finish_publishing(*publisher_, outcome_, options_, supervisor);
  }

 private:
  const options::SweepOptions& options_;
  const options::Invocation& invocation_;
  sweep::CheckedPlan checked_;
  service::PublishSettings publishing_;
  std::unique_ptr<service::Publisher> publisher_;
  std::optional<service::ServiceReporter> service_;
  sweep::Conditions conditions_;
  sweep::SweepOutcome outcome_;
};

class SweepCommand final : public options::Command {
 public:
  explicit SweepCommand(options::Options& options) : options_(options) {
    options.config_file();
    options.sweep_options(options::option_names());
  }

  void check() override { raw_ = options_.sweep(); }

  int run(const options::Invocation& invocation) override {
    const std::vector<std::string> devices = sweep::several_devices(raw_);
    if (devices.empty()) return sweep(raw_, invocation);
    options::Invocation of_each = invocation;
    if (options::flag(raw_, "concurrent")) of_each.concurrent = devices;
    return sweep::sweep_devices(raw_, devices,
                                [&](const options::RawOptions& raw) { return sweep(raw, of_each); });
  }

 private:
  static int sweep(const options::RawOptions& raw, const options::Invocation& invocation) {
    options::SweepOptions options = options::check_options(options::with_default_plan(raw));
    options.requested = invocation.served;
    SweepJob job(options, invocation);
    return sweep::drive(job, options);
  }

  const options::Options& options_;
  options::RawOptions raw_;
};

}  // namespace

std::unique_ptr<options::Command> make_sweep(options::Options& options) {
  return std::make_unique<SweepCommand>(options);
}

}  // namespace graphbench::cli
