// Runs graphbench ladder, which finds the sizes to capture for a traffic, and the cost of each size.
#include "harness/options/command.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <set>
#include <utility>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/ladder/arguments.hpp"
#include "harness/ladder/ladder_process.hpp"
#include "harness/ladder/ladder_table.hpp"
#include "harness/ladder/suggest.hpp"
#include "harness/ladder/suggestions.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/model/findings/groups.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/output.hpp"
#include "harness/options/raw_options.hpp"
#include "harness/service/publish/publish_settings.hpp"
#include "harness/sweep/driver.hpp"
#include "harness/sweep/planning.hpp"
#include "harness/sweep/report/print_report.hpp"

namespace graphbench::cli {
namespace {

constexpr const char* ladder_footer =
    "A traffic FILE begins with the header size,count or time,size, or is a vLLM log with tables "
    "of padded\ntokens.\n"
    "Exit codes: 0 done; 2 bad usage or input; 3 some ladders failed; 130 interrupted (the measurements are\n"
    "kept). docs/ladder.md explains the output.\n";

// Keeps the ladders or cells of `workloads`; all if that is empty. Throws InputError if none is left.
template <typename T>
std::vector<T> with_workloads(std::vector<T> measured, const std::vector<std::string>& workloads,
                              const std::string& path) {
  if (workloads.empty()) return measured;
  std::set<std::string> known;
  for (const T& each : measured) known.insert(each.cell.workload);
  std::erase_if(measured, [&](const T& each) { return !contains(workloads, each.cell.workload); });
  if (measured.empty())
    throw InputError(path, "the result has no " + join(workloads) + ", which --workload asks for: give " +
                               (known.empty() ? "another file" : "one of " + join(known)));
  return measured;
}

// `workloads`: those that the options name; empty: all.
std::vector<model::Suggestion> suggest_from_file(const std::string& path,
                                                 const ladder::LadderRequest& request,
                                                 const ladder::Budgets& budgets,
                                                 const std::vector<std::string>& workloads) {
  const codec::PaddedText text = codec::read_text(path);
  const std::vector<std::int64_t>& rows = request.trace.rows;
  if (std::vector<model::Ladder> ladders = codec::read_ladders(text.view(), path); !ladders.empty())
    return ladder::suggest(with_workloads(std::move(ladders), workloads, path), rows, budgets, path);
  return ladder::suggest(with_workloads(codec::read_result(text.view(), path).cells, workloads, path), rows,
                         budgets, path);
}

struct Measured {
  model::Result result;
  std::string device;
  model::LadderFindings findings;
  bool interrupted = false;
};

void serve(const std::vector<ladder::PlannedLadder>& planned, const config::SweepOptions& options,
           process::ProcessSupervisor& supervisor, Measured& measured) {
  for (std::size_t i = 0; i < planned.size() && !measured.interrupted; ++i) {
    ladder::ServeTask task = planned[i].task;
    if (!options.quiet)
      std::fprintf(stderr, "%zu of %zu: %s, %s\n", i + 1, planned.size(), planned[i].ladder.role.c_str(),
                   planned[i].ladder.id.c_str());
    task.task.spawned_ns = steady_ns();
    try {
      const ladder::ServeAnswer answer = ladder::ask_ladder(supervisor, process::own_command(ladder_role),
                                                            task, options.worker_timeout_seconds);
      ladder::add_answer(measured.findings.ladders, planned[i], answer);
      model::add_choices(measured.result.environment.library_choices, answer.choices);
    } catch (const process::Interrupted&) {
      if (measured.findings.ladders.empty()) throw;
      measured.interrupted = true;
    }
  }
  ladder::summarize(measured.findings.ladders);
}

void finish(const CheckedPlan& checked, Measured& measured) {
  finish_result(checked, measured.result);
  measured.result.complete = !measured.interrupted;
  measured.device = checked.plan.device;
}

int report_ladders(const Measured& measured, const config::SweepOptions& options,
                   const std::vector<std::string>& engines, model::LadderPad pad,
                   const ReportFormat& format) {
  const std::string document = codec::to_json(measured.result, measured.findings);
  write_document(options.json, document);
  if (!options.prometheus.textfile.empty())
    write_file_atomically(options.prometheus.textfile,
                          reporters::ladders_text(measured.device, measured.findings.ladders));
  model::LadderFindings shown = measured.findings;
  // --quiet suppresses progress and tables, but not the suggestion.
  if (options.quiet) shown.ladders.clear();
  const auto flags_of = [&](const model::Suggestion& made) {
    std::vector<std::string> flags;
    for (const std::string& engine : engines) {
      if (made.no_suggestion.empty())
        flags.push_back(engine + ": " + ladder::flag_for(engine, made.sizes, pad));
    }
    return flags;
  };
  format.print(
      reporters::report_of(shown, flags_of), [&] { return document; }, options.json == "-");
  const auto failed =
      std::ranges::find(measured.findings.ladders, model::CellStatus::failed, &model::Ladder::status);
  if (failed == measured.findings.ladders.end()) return exit_done;
  complain("ladder %s failed: %s: %s", failed->id.c_str(), failed->reason.value().code.c_str(),
           failed->reason.value().message.c_str());
  return exit_cells_failed;
}

// Tokens per unit of the batch; absent for workloads without an option "tokens".
std::optional<std::int64_t> tokens_of(const CheckedPlan& checked, const model::Cell& cell) {
  for (const model::WorkerTask& task : checked.plan.tasks) {
    if (task.workload != cell.workload || task.preset != cell.preset) continue;
    if (const auto given = task.options.find("tokens"); given != task.options.end()) return given->second;
  }
  for (const abi::WorkloadInfo& workload : checked.catalog.workloads) {
    if (workload.name != cell.workload) continue;
    for (const abi::WorkloadPreset& preset : workload.presets) {
      const auto found = preset.values.find("tokens");
      if (preset.name == cell.preset && found != preset.values.end()) return found->second;
    }
  }
  return std::nullopt;
}

// Removes "best" from --mode, because sweeps do not have this mode. Returns whether it was there. "best"
// alone means all graph modes.
bool take_best(std::vector<config::RawItem>& items) {
  if (items.empty()) return false;
  const std::string where = items.front().where;
  std::vector<std::string> words = config::words_of(items, "mode");
  std::vector<std::string> known = model::names_of(model::modes());
  known.emplace_back("best");
  for (std::string& word : words) {
    word = model::mode_named(word);
    require_known(where, word, "mode", known);
  }
  if (std::erase(words, "best") == 0) return false;
  if (words.empty()) words = {"whole", "piecewise"};
  if (std::ranges::none_of(words, model::is_graph_mode))
    throw InputError(where, "mode best chooses among graph modes: give whole or piecewise too");
  items.clear();
  for (const std::string& word : words) items.push_back({word, where});
  return true;
}

class LadderJob final : public Job {
 public:
  LadderJob(const ladder::LadderArguments& asked, config::SweepOptions& options, const Invocation& invocation,
            bool best, const ReportFormat& format)
      : asked_(asked), options_(options), invocation_(invocation), best_(best), format_(format) {}

  void check() override {
    budgets_ = ladder::budgets_of(asked_);
    request_ = ladder::request_of(asked_, options_.seed);
    from_file_ = asked_.from_file();
    if (!asked_.suggest.empty()) ladder::check_suggestion(asked_, request_, budgets_);
    if (!from_file_) ladder::check_routes(request_);
    options_.axes.batch = request_.sizes;
    check_output_file(options_.where("json"), options_.json, Stdout::allowed);
    static_cast<void>(publish::check_publishing(options_));
    measured_.result.started_at = utc_now();
    const bool named = options_.places.contains("workload");
    if (from_file_)
      measured_.findings.suggestions = suggest_from_file(
          asked_.suggest, request_, budgets_, named ? options_.axes.workload : std::vector<std::string>());
  }

  std::optional<int> plan(process::ProcessSupervisor& supervisor) override {
    checked_ = make_checked_plan(options_, invocation_.argv, supervisor);
    refuse_step(checked_, options_, "ladder");
    if (!from_file_) planned_ = ladder::plan_ladders(checked_.plan, request_);
    return std::nullopt;
  }

  std::string outlook() const override {
    return model::plural(std::ssize(planned_), "process") +
           (asked_.verify || best_ ? ", and more that follow from them" : "");
  }

  bool measure(process::ProcessSupervisor& supervisor) override {
    model::LadderFindings& findings = measured_.findings;
    serve(planned_, options_, supervisor, measured_);
    if (!asked_.suggest.empty() && !from_file_) {
      try {
        findings.suggestions = ladder::suggest(findings.ladders, request_.trace.rows, budgets_, "--suggest");
      } catch (const std::exception&) {  // deliver() writes the measurements before the command fails
        failure_ = std::current_exception();
        return true;
      }
    }
    if (asked_.verify && !measured_.interrupted) {
      serve(ladder::plan_verification(checked_.plan, request_, findings.suggestions, findings.ladders),
            options_, supervisor, measured_);
      ladder::add_verification(findings.ladders, findings.suggestions);
    }
    if (best_) {
      findings.best = ladder::best_modes(findings.ladders,
                                         [&](const model::Cell& cell) { return tokens_of(checked_, cell); });
      if (!measured_.interrupted)
        serve(ladder::plan_best(checked_.plan, request_, findings.best), options_, supervisor, measured_);
    }
    return !measured_.interrupted;
  }

  int deliver(process::ProcessSupervisor&) override {
    finish(checked_, measured_);
    const int exit_code = report_ladders(measured_, options_, asked_.engines, request_.policy.pad, format_);
    if (failure_) std::rethrow_exception(failure_);
    return exit_code;
  }

 private:
  const ladder::LadderArguments& asked_;
  config::SweepOptions& options_;
  const Invocation& invocation_;
  const bool best_;
  const ReportFormat& format_;
  bool from_file_ = false;
  ladder::Budgets budgets_;
  ladder::LadderRequest request_;
  CheckedPlan checked_;
  std::vector<ladder::PlannedLadder> planned_;
  Measured measured_;
  std::exception_ptr failure_;
};

class LadderCommand final : public Command {
 public:
  explicit LadderCommand(Options& options) : options_(options), format_(options) {
    options.footer(ladder_footer);
    ladder::add_options(options, asked_);
    options.sweep_options(config::options_for("ladder"));
    options.describe("--mode", "modes to serve in; best: each size in its fastest mode (default: whole)");
    options.describe("--warmup", "eager steps before each capture (default: 3)");
    options.describe("--dry-run", "print the number of processes, and stop");
  }

  void check() override {
    format_.check();
    raw_ = options_.sweep();
    if (!raw_.contains("mode")) raw_["mode"].push_back({"whole", "--mode"});
    best_ = take_best(raw_["mode"]);
    if (!raw_.contains("warmup")) raw_["warmup"].push_back({"3", "--warmup"});
  }

  int run(const Invocation& invocation) override {
    config::SweepOptions options = config::check_options(raw_);
    refuse_without_effect();
    LadderJob job(asked_, options, invocation, best_, format_);
    return drive(job, options);
  }

 private:
  // Refuses the options of a sweep that would change nothing, because a file has the measurements.
  void refuse_without_effect() const {
    if (best_ && asked_.from_file())
      throw InputError("--mode", "\"best\" would change nothing: give it only with " +
                                     std::string(ladder::with_measuring));
    if (asked_.serves()) return;
    const std::vector<std::string> acting = {"workload", "plugin",         "device", "seed",
                                             "cpu",      "no-pin",         "cache",  "json",
                                             "quiet",    "worker-timeout", "dry-run"};
    for (const std::string& name : config::options_for("ladder")) {
      if (options_.given("--" + name) && !contains(acting, name))
        throw InputError("--" + name, "the option would change nothing: give it only with " +
                                          std::string(ladder::with_serving));
    }
  }

  const Options& options_;
  ReportFormat format_;
  ladder::LadderArguments asked_;
  config::RawOptions raw_;
  bool best_ = false;
};

}  // namespace

std::unique_ptr<Command> make_ladder(Options& options) {
  return std::make_unique<LadderCommand>(options);
}

}  // namespace graphbench::cli
