// Runs graphbench --sweep: asks the probe, plans, checks the programs, measures, writes and prints.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>

#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
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
#include "harness/service/publish/publishing.hpp"
#include "harness/service/report/report.hpp"
#include "harness/sweep/devices.hpp"
#include "harness/sweep/driver.hpp"
#include "harness/sweep/journal.hpp"
#include "harness/sweep/planning.hpp"
#include "harness/sweep/report/print_report.hpp"
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
  return exit_done;
}

// Returns null if the document goes to stdout, a device file or a pipe.
std::unique_ptr<sweep::Journal> open_journal(const model::Plan& plan, const plan::Catalog& catalog,
                                             const config::SweepOptions& options,
                                             const Invocation& invocation) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(options.json, error);
  if (options.json == "-" || (exists(status) && !is_regular_file(status))) return nullptr;
  sweep::JournalSettings settings{sweep::journal_of(options.json),
                                  options.where("json"),
                                  sweep::identity_of(plan, catalog.facts, options.code_files()),
                                  {machine::read_environment().hostname, catalog.facts.uuid}};
  if (!options.samples.empty()) settings.identity.emplace_back("value of --samples", "given");
  settings.start_over = invocation.served;  // replaces another sweep's journal: the service owns the file
  auto journal = std::make_unique<sweep::Journal>(std::move(settings));
  if (!journal->said().empty()) complain("warning: %s", journal->said().c_str());
  return journal;
}

// Returns nullopt if the file is not a result document.
std::optional<codec::DocumentInParts> earlier_result(const std::string& path) {
  try {
    const codec::PaddedText text = codec::read_text(path);
    return codec::read_parts(text.view(), path);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void say_what_comes(const model::Plan& plan, const plan::Catalog& catalog, const sweep::Journal* journal,
                    const config::SweepOptions& options) {
  if (options.quiet) return;
  const model::MeasuredOn here{machine::read_environment().hostname, catalog.facts.uuid};
  const std::vector<sweep::FinishedTask> finished =
      journal == nullptr ? std::vector<sweep::FinishedTask>() : journal->finished();
  const sweep::Remainder left = sweep::remainder_of(plan, finished, here);
  complain("%s", reporters::outlook(std::ssize(plan.cells), left.tasks).c_str());
  if (!finished.empty())
    complain("the sweep continues from %s: %zu of %zu tasks are finished",
             sweep::journal_of(options.json).c_str(), left.taken_over.size(), plan.tasks.size());
  if (journal == nullptr) return;
  const std::optional<codec::DocumentInParts> earlier = earlier_result(options.json);
  // An incomplete result of the same plan is from an interrupted run of this sweep: no message is needed.
  if (!earlier || (!earlier->head.complete && earlier->head.plan.hash == plan.facts.hash)) return;
  complain("%s: replaces %s", options.json.c_str(),
           reporters::result_in_words(earlier->head, std::ssize(earlier->cells)).c_str());
}

sweep::SweepOutcome measure(const model::Plan& plan, const plan::Catalog& catalog,
                            const config::SweepOptions& options, const Conditions& conditions,
                            process::ProcessSupervisor& supervisor, sweep::SweepListener& listener,
                            sweep::Journal* journal) {
  sweep::SweepSettings settings{child_command(options, worker_role), options.worker_timeout_seconds};
  settings.hostname = machine::read_environment().hostname;
  settings.floors = conditions.floors;
  if (journal != nullptr) {
    settings.finished = journal->finished();
    settings.finished_in = options.where("json") + ": " + in_quotes(sweep::journal_of(options.json));
    settings.keep_samples = !options.samples.empty();
    bool broken = false;
    settings.keep = [=](const sweep::FinishedTask& task) mutable {
      if (broken) return;
      try {
        journal->append(task);
      } catch (const std::exception& error) {
        broken = true;
        complain("warning: %s: tasks that finish from now on are lost if this sweep is killed", error.what());
      }
    };
  }
  return sweep::run_sweep(plan, catalog.facts, settings, supervisor, listener);
}

void show_table(const model::Result& result, const config::SweepOptions& options, bool written) {
  const bool stdout_taken = options.json == "-";
  const int descriptor = stdout_taken ? STDERR_FILENO : STDOUT_FILENO;
  std::ostream& out = stdout_taken ? std::cerr : std::cout;
  const reporters::PrintOptions print = console_of(descriptor);
  const reporters::Report report =
      reporters::report_of(result, {}, !stdout_taken && written ? options.json : "");
  if (!result.plan.concurrent.empty()) {
    // Writes the paragraph with one call, because processes of other devices write to the same stream.
    std::ostringstream paragraph;
    if (written) paragraph << options.device << ": " << options.json << '\n';
    reporters::print_wrapped(paragraph, report.conclusions, print);
    out << paragraph.str();
  } else if (options.quiet) {
    reporters::print_wrapped(out, report.conclusions, print);
  } else {
    reporters::format_named("table").print(out, report, print);
  }
  out.flush();
}

// Prints a line on stderr and returns false if `write` throws. `name` is the option that gave the file.
template <typename Write>
bool written_well(const config::SweepOptions& options, const std::string& name, Write&& write) {
  try {
    write();
    return true;
  } catch (const std::exception& error) {
    complain("%s: %s", options.where(name).c_str(), error.what());
  }
  return false;
}

void print_failures(const sweep::SweepOutcome& outcome) {
  for (const std::string& warning : outcome.warnings) complain("warning: %s", warning.c_str());
  for (const model::CellResult& cell : outcome.result.cells) {
    if (cell.status != model::CellStatus::failed) continue;
    const model::Reason reason = cell.reason.value_or(model::Reason{"internal", "no reason was given"});
    complain("%lld of %zu cells failed; the first is %s: %s: %s",
             static_cast<long long>(outcome.cells_failed), outcome.result.cells.size(),
             model::id_of(cell.cell).c_str(), reason.code.c_str(), reason.message.c_str());
    return;
  }
}

int report(const sweep::SweepOutcome& outcome, const config::SweepOptions& options, bool shown) {
  const model::Result& result = outcome.result;
  const auto write = [&](const char* name, const std::string& path, const auto& text) {
    return path.empty() || written_well(options, name, [&] { write_file_atomically(path, text()); });
  };
  const bool traced =
      write("trace", options.trace, [&] { return reporters::to_chrome_trace(outcome.trace); });
  const bool written =
      written_well(options, "json", [&] { write_document(options.json, codec::to_json(result), ""); });
  const bool sampled = write("samples", options.samples, [&] { return reporters::to_sample_file(result); });
  const bool reported = write("report", options.report, [&] {
    return report::make_report(serve::built_in_page, {{"the result", codec::to_json(result)}});
  });
  if (shown) show_table(result, options, written);
  print_failures(outcome);
  if (!written || !sampled || !traced || !reported) return exit_error;
  return outcome.cells_failed > 0 ? exit_cells_failed : exit_done;
}

// Throws InputError if `path`, given by the option `name`, is stdout, which only the document may use, cannot
// be written, or is one of the files `others` of the options `named`.
void check_beside(const config::SweepOptions& options, const std::string& name, const std::string& path,
                  const std::vector<std::string>& others, const std::string& named) {
  if (path.empty()) return;
  if (path == "-") {
    throw InputError(options.where(name), "\"-\" is stdout, which is only for --json: give a file");
  }
  check_output_file(options.where(name), path, Stdout::refused);
  if (std::ranges::any_of(others, [&](const std::string& other) { return same_file(path, other); }))
    throw InputError(options.where(name),
                     in_quotes(path) + " is also the file of " + named + ": give another file");
}

void make_folder(const std::string& where, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!std::filesystem::is_directory(path) || access(path.c_str(), W_OK) != 0)
    throw InputError(where, in_quotes(path) + " is not a writable folder: give another folder");
}

void check_outputs(const config::SweepOptions& options) {
  if (options.dump_program || options.dry_run) return;
  if (!options.caller.dump_graph.empty()) make_folder(options.where("dump-graph"), options.caller.dump_graph);
  check_output_file(options.where("json"), options.json, Stdout::allowed);
  check_beside(options, "trace", options.trace, {options.json, options.samples}, "--json or --samples");
  check_beside(options, "samples", options.samples, {options.json}, "--json");
  check_beside(options, "report", options.report, {options.json, options.samples, options.trace},
               "--json, --samples or --trace");
  if (!options.report.empty() && serve::built_in_page.html.empty())
    throw InputError(options.where("report"), serve::no_page);
}

class SweepJob final : public Job {
 public:
  SweepJob(const config::SweepOptions& options, const Invocation& invocation)
      : options_(options), invocation_(invocation), console_(options.quiet) {}

  void check() override { check_outputs(options_); }

  std::optional<int> plan(process::ProcessSupervisor& supervisor) override {
    if (!options_.dump_program && !options_.dry_run) publisher_ = make_publisher(options_);
    checked_ = make_checked_plan(options_, invocation_.argv, supervisor);
    checked_.plan.facts.concurrent = join(invocation_.concurrent);
    return options_.dump_program ? std::optional(dump_programs(checked_.dumps)) : std::nullopt;
  }

  std::string outlook() const override {
    return reporters::outlook(std::ssize(checked_.plan.cells), checked_.plan.tasks);
  }

  bool measure(process::ProcessSupervisor& supervisor) override {
    const auto& [catalog, plan, dumps] = checked_;
    journal_ = open_journal(plan, catalog, options_, invocation_);
    say_what_comes(plan, catalog, journal_.get(), options_);
    // Before read_conditions() measures floors, the publisher's threads must leave the submitting thread's
    // CPU.
    const std::vector<int> cpus =
        machine::submitter_cpus(plan.tasks.front().settings.instruments, machine::allowed_cpus());
    const serve::SweepBegan began{plan.device, catalog.facts, {cpus.begin(), cpus.end()}, plan.facts.hash};
    publisher_->begin(began.device, began.facts, began.submitter);
    std::vector<sweep::SweepListener*> listeners = {publisher_.get(), &console_};
    if (invocation_.served) listeners.push_back(&service_.emplace(began));
    Listeners all(std::move(listeners));
    const Conditions conditions = read_conditions(plan, options_, supervisor);
    outcome_ = cli::measure(plan, catalog, options_, conditions, supervisor, all, journal_.get());
    console_.finish();
    add_conditions(conditions, outcome_);
    return !outcome_.interrupted;
  }

  int deliver(process::ProcessSupervisor& supervisor) override {
    const int exit_code = report(outcome_, options_, !invocation_.served);
    // Keeps the journal if a file could not be written, because only the journal then has the results.
    if (journal_ && !outcome_.interrupted && exit_code != exit_error) journal_->remove();
    return finish_publishing(*publisher_, outcome_, options_, supervisor) ? exit_code : exit_error;
  }

  bool resumes() const override { return journal_ && !invocation_.served; }

 private:
  const config::SweepOptions& options_;
  const Invocation& invocation_;
  CheckedPlan checked_;
  std::unique_ptr<publish::Publisher> publisher_;
  std::unique_ptr<sweep::Journal> journal_;
  reporters::ProgressPrinter console_;
  std::optional<ServiceReporter> service_;
  sweep::SweepOutcome outcome_;
};

class SweepCommand final : public Command {
 public:
  explicit SweepCommand(Options& options) : options_(options) {
    options.config_file();
    options.sweep_options(config::option_names());
  }

  void check() override { raw_ = options_.sweep(); }

  int run(const Invocation& invocation) override {
    const std::vector<std::string> devices = several_devices(raw_);
    if (devices.empty()) return sweep(raw_, invocation);
    Invocation of_each = invocation;
    if (config::flag(raw_, "concurrent")) of_each.concurrent = devices;
    return sweep_devices(raw_, devices, [&](const config::RawOptions& raw) { return sweep(raw, of_each); });
  }

 private:
  static int sweep(const config::RawOptions& raw, const Invocation& invocation) {
    config::SweepOptions options = config::check_options(config::with_default_plan(raw));
    options.requested = invocation.served;
    SweepJob job(options, invocation);
    return drive(job, options);
  }

  const Options& options_;
  config::RawOptions raw_;
};

}  // namespace

std::unique_ptr<Command> make_sweep(Options& options) {
  return std::make_unique<SweepCommand>(options);
}

}  // namespace graphbench::cli
