// Runs graphbench ladder, which finds the sizes to capture for a traffic, and the cost of each size.
#include "harness/options/command.hpp"

#include <fmt/format.h>

#include <exception>
#include <set>
#include <utility>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/ladder/arguments.hpp"
#include "harness/ladder/closed.hpp"
#include "harness/ladder/ladder_fields.hpp"
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
#include "harness/sweep/asker.hpp"
#include "harness/sweep/driver.hpp"
#include "harness/sweep/identity.hpp"
#include "harness/sweep/planning.hpp"
#include "harness/sweep/report/print_report.hpp"

namespace graphbench::ladder {
namespace {

constexpr const char* ladder_footer =
    "Exit codes: 0 done; 2 bad usage or input; 3 some ladders failed; 10 fewer hits than --require-hits;\n"
    "130 interrupted (the measurements are kept). docs/ladder.md explains the output.\n";

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

struct MeasuredFile {
  std::vector<MeasuredGroup> groups = {};
  model::Environment environment;
  model::Note trust;
};

// `workloads`: those that the options name; empty: all.
MeasuredFile read_measured(const std::string& path, const std::vector<std::string>& workloads) {
  const model::PaddedText text = model::read_text(path);
  model::Result result = model::read_result(text.view(), path);
  std::vector<Ladder> ladders = read_findings(text.view(), path).ladders;
  MeasuredFile file{.environment = result.environment, .trust = model::notes_of(result).front()};
  file.groups = ladders.empty()
                    ? measured_groups(with_workloads(std::move(result.cells), workloads, path), path)
                    : measured_groups(with_workloads(std::move(ladders), workloads, path), path);
  if (file.groups.empty())
    throw InputError(path,
                     "no ladder with captured sizes was served, so nothing can be suggested: give a "
                     "ladder that succeeded, or a sweep");
  for (MeasuredGroup& each : file.groups) each.trust = file.trust.code == "trust_low" ? file.trust.text : "";
  return file;
}

struct Measured {
  model::Result result;
  LadderFindings findings;
  bool interrupted = false;
};

sweep::Question question_of(const PlannedLadder& planned) {
  ServeTask task = planned.task;
  task.task = sweep::without_place(std::move(task.task));
  return {planned.ladder.role + ", " + planned.ladder.id, model::write_data(task)};
}

void serve_planned(const std::vector<PlannedLadder>& planned, const options::SweepOptions& options,
                   process::ProcessSupervisor& supervisor, sweep::Asker& asker, Measured& measured) {
  asker.expect(std::ssize(planned));
  for (std::size_t i = 0; i < planned.size() && !measured.interrupted; ++i) {
    try {
      const auto ask = [&](const process::TickHandler& on_tick) {
        ServeTask task = planned[i].task;
        task.task.spawned_ns = steady_ns();
        return ask_ladder(supervisor, sweep::child_command(options, options::ladder_role), task,
                          options.worker_timeout_seconds, on_tick);
      };
      const auto answer = asker.ask<ServeAnswer>(question_of(planned[i]), ask);
      add_answer(measured.findings.ladders, planned[i], answer);
      model::add_choices(measured.result.environment.library_choices, answer.choices);
    } catch (const process::Interrupted&) {
      if (measured.findings.ladders.empty()) throw;
      measured.interrupted = true;
    }
  }
  summarize(measured.findings.ladders);
}

// Tokens per unit of the batch; absent for workloads without an option "tokens".
std::optional<std::int64_t> tokens_of(const sweep::CheckedPlan& checked, const model::Cell& cell) {
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
bool take_best(std::vector<options::RawItem>& items) {
  if (items.empty()) return false;
  const std::string where = items.front().where;
  std::vector<std::string> words = options::words_of(items, "mode");
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

class LadderJob final : public sweep::Job {
 public:
  LadderJob(const LadderArguments& asked, options::SweepOptions& options,
            const options::Invocation& invocation, bool best, const sweep::ReportFormat& format)
      : asked_(asked), options_(options), invocation_(invocation), best_(best), format_(format) {}

  std::string name() const override { return "ladder"; }

  void check() override {
    budgets_ = budgets_of(asked_);
    request_ = request_of(asked_, options_.seed);
    const std::vector<std::string>& modes = options_.axes.mode;  // empty: whole
    if (request_.policy.exec == ExecOf::one_switch && !modes.empty() &&
        (contains(modes, "piecewise") || !contains(modes, "whole")))
      throw InputError("--exec",
                       "an arm of a SWITCH is a step in one graph: give --mode whole, or another --exec");
    if (best_ && request_.policy.graphs_max > 0)
      throw InputError("--graphs-max",
                       "mode best compares graphs of all sizes: give --mode whole or piecewise, or no limit");
    from_file_ = asked_.from_file();
    if (infers()) check_suggestion(asked_, request_, budgets_);
    if (!from_file_) check_routes(request_);
    options_.axes.batch = request_.sizes;
    measured_.result.started_at = utc_now();
    const bool named = options_.places.contains("workload");
    if (!from_file_) return;
    file_ = read_measured(asked_.suggest, named ? options_.axes.workload : std::vector<std::string>());
    suggest_from(file_.groups);
  }

  std::vector<sweep::Output> outputs() override {
    const LadderFindings& findings = measured_.findings;
    return {{options_.where("json"), options_.json,
             [&] { return ladders_to_json(measured_.result, findings); }, options::Stdout::allowed},
            {options_.where("prometheus-textfile"), options_.prometheus.textfile,
             [&] { return ladders_text(checked_.plan.device, findings.ladders); }}};
  }

  std::optional<int> plan(process::ProcessSupervisor& supervisor) override {
    checked_ = sweep::make_checked_plan(options_, invocation_.argv, supervisor);
    is_step_ = checked_.plan.facts.axes.preset.front() == model::of_its_own;
    if (is_step_) check_step_ladder(request_, best_);
    if (!from_file_) {
      planned_ = plan_ladders(checked_.plan, request_);
    } else if (asked_.verify) {
      planned_ = plan_verification(checked_.plan, request_, measured_.findings.suggestions, {});
    }
    return std::nullopt;
  }

  sweep::Outlook outlook(const sweep::Earlier& earlier) const override {
    if (planned_.empty()) return {"no process: the suggestions come from " + asked_.suggest};
    std::vector<PlannedLadder> left = planned_;
    std::erase_if(left, [&](const auto& each) { return sweep::is_answered(question_of(each), earlier); });
    const bool more = best_ || (asked_.verify && !from_file_);
    return {model::plural(std::ssize(left), "process") + (more ? ", and more that follow from them" : ""),
            estimated_seconds(left),
            std::to_string(planned_.size() - left.size()) + " of " + std::to_string(planned_.size()) +
                " processes"};
  }

  std::optional<sweep::Resumable> resumable() const override {
    // What follows from the answers is asked only if these two options are given.
    std::string more =
        "ladder" + std::string(asked_.verify ? ", verify" : "") + (best_ ? ", best" : "") + "\n";
    for (const PlannedLadder& each : planned_) more += question_of(each).request + "\n";
    return sweep::resumable_of(checked_, options_, more);
  }

  bool measure(sweep::Run& run) override {
    LadderFindings& findings = measured_.findings;
    sweep::Asker asker(run);
    const auto serve_all = [&](const std::vector<PlannedLadder>& planned) {
      serve_planned(planned, options_, run.supervisor, asker, measured_);
    };
    serve_all(planned_);
    if (infers() && !from_file_ && !suggest_from_measured()) return !measured_.interrupted;
    if (asked_.verify && !measured_.interrupted) {
      if (!from_file_)
        serve_all(plan_verification(checked_.plan, request_, findings.suggestions, findings.ladders));
      add_verification(findings.ladders, findings.suggestions);
    }
    add_memory(findings.ladders, findings.suggestions);
    if (best_) {
      findings.best =
          best_modes(findings.ladders, [&](const model::Cell& cell) { return tokens_of(checked_, cell); });
      if (!measured_.interrupted) serve_all(plan_best(checked_.plan, request_, findings.best));
    }
    return !measured_.interrupted;
  }

  void summarise() override {
    sweep::finish_result(checked_, measured_.result);
    measured_.result.complete = !measured_.interrupted;
    if (planned_.empty()) {  // nothing was served here: the document is about the machine of its file
      measured_.result.environment = file_.environment;
      measured_.result.trust_elsewhere = file_.trust.text;
    }
    for (Suggestion& made : measured_.findings.suggestions) {
      if (!made.no_suggestion.empty()) continue;
      for (const std::string& engine : budgets_.engines)
        made.flags.push_back(flag_for(engine, made.sizes, request_.policy.pad, budgets_.query_lengths));
    }
  }

  sweep::Findings findings(bool) override {
    LadderFindings shown = measured_.findings;
    // --quiet suppresses progress and tables, but not the suggestion.
    if (options_.quiet) shown.ladders.clear();
    sweep::Findings found{.report = report_of(shown),
                          .format = format_.format(),
                          .document = outputs().front().text,
                          .failure = failure_};
    // A program's ladder may be skipped beside others; a step's has no others.
    const auto failed = std::ranges::find_if(measured_.findings.ladders, [&](const Ladder& each) {
      return each.status == model::CellStatus::failed ||
             (is_step_ && each.status == model::CellStatus::skipped);
    });
    if (failed == measured_.findings.ladders.end()) {
      require_hits(found);
      return found;
    }
    const model::Reason& reason = failed->reason.value();
    found.complaints = {"ladder " + failed->id + " " + std::string(model::name_of(failed->status)) + ": " +
                        reason.code + ": " + reason.message};
    found.exit_code = model::exit_cells_failed;
    return found;
  }

 private:
  void require_hits(sweep::Findings& found) const {
    if (!asked_.require_hits) return;
    const auto require = [&](const std::string& id, double rate) {
      if (rate >= *asked_.require_hits) return;
      found.complaints.push_back(
          fmt::format("{}: {:.1f} % of the steps hit a captured size; --require-hits asks for "
                      "{:g} %",
                      id, 100 * rate, 100 * *asked_.require_hits));
      found.exit_code = model::exit_few_hits;
    };
    for (const Closed& each : measured_.findings.closed) {
      if (each.cell.batch > 0) require(model::id_of(each.cell), each.hit_rate.value_or(0));
    }
    for (const Suggestion& made : measured_.findings.suggestions) {
      // What serves it is the eager ladder, a rival.
      if (from_file_ && !request_.closed && made.sizes.empty() && !made.verified_by.empty())
        require(made.verified_by, 0);
    }
    for (const Ladder& ladder : measured_.findings.ladders) {
      if (!request_.closed && !is_rival(ladder))
        require(ladder.id, ladder.launches.empty() ? 0 : ladder.launches.front().hit_rate);
    }
  }

  // Whether anything follows from the measured step times.
  bool infers() const { return !asked_.suggest.empty() || request_.closed; }

  void suggest_from(const std::vector<MeasuredGroup>& groups) {
    LadderFindings& findings = measured_.findings;
    const auto add = [&](const MeasuredGroup& group, const Trace& trace) {
      if (asked_.suggest.empty()) return;
      findings.suggestions.push_back(suggest(group, trace, budgets_));
      if (from_file_)
        findings.suggestions.back().note =
            request_.closed ? request_.closed->traffic.note : request_.traffic.note;
    };
    if (!request_.closed) {
      for (const MeasuredGroup& each : groups) add(each, request_.trace);
      return;
    }
    for (ClosedBatches& each : close(groups, *request_.closed)) {
      if (each.group && !each.trace.rows.empty()) add(groups[*each.group], each.trace);
      findings.closed.push_back(std::move(each.closed));
    }
  }

  // Returns false if nothing can be suggested. The driver writes the measurements before the command fails.
  bool suggest_from_measured() {
    try {
      suggest_from(measured_groups(measured_.findings.ladders, "--suggest"));
      return true;
    } catch (const std::exception&) {
      failure_ = std::current_exception();
      return false;
    }
  }

  const LadderArguments& asked_;
  options::SweepOptions& options_;
  const options::Invocation& invocation_;
  const bool best_;
  const sweep::ReportFormat& format_;
  bool from_file_ = false;
  MeasuredFile file_;
  bool is_step_ = false;
  Budgets budgets_;
  LadderRequest request_;
  sweep::CheckedPlan checked_;
  std::vector<PlannedLadder> planned_;
  Measured measured_;
  std::exception_ptr failure_;
};

class LadderCommand final : public options::Command {
 public:
  explicit LadderCommand(options::Options& options) : options_(options), format_(options) {
    options.footer("A traffic FILE is one of, or several of the same, separated by commas:\n  " +
                   traffic_forms("\n  ") + "\n" + ladder_footer);
    add_options(options, asked_);
    options.sweep_options(options::options_for("ladder"));
    options.describe("--mode", "modes to serve in; best: each size in its fastest mode (default: whole)");
    options.describe("--warmup", "eager steps before each capture (default: 3)");
    options.describe("--dry-run", "print the number of processes and the estimated time, and stop");
  }

  void check() override {
    format_.check();
    raw_ = options_.sweep();
    if (!raw_.contains("mode")) raw_["mode"].push_back({"whole", "--mode"});
    best_ = take_best(raw_["mode"]);
    if (!raw_.contains("warmup")) raw_["warmup"].push_back({"3", "--warmup"});
  }

  int run(const options::Invocation& invocation) override {
    options::SweepOptions options = options::check_options(raw_);
    refuse_without_effect();
    LadderJob job(asked_, options, invocation, best_, format_);
    return sweep::drive(job, options);
  }

 private:
  // Refuses the options of a sweep that would change nothing, because a file has the measurements.
  void refuse_without_effect() const {
    if (best_ && asked_.from_file())
      throw InputError("--mode",
                       "\"best\" would change nothing: give it only with " + std::string(with_measuring));
    if (asked_.serves()) return;
    const std::vector<std::string> acting = {"workload", "plugin",         "device", "seed",
                                             "cpu",      "no-pin",         "cache",  "json",
                                             "quiet",    "worker-timeout", "dry-run"};
    for (const std::string& name : options::options_for("ladder")) {
      if (options_.given("--" + name) && !contains(acting, name))
        throw InputError("--" + name,
                         "the option would change nothing: give it only with " + std::string(with_serving));
    }
  }

  const options::Options& options_;
  sweep::ReportFormat format_;
  LadderArguments asked_;
  options::RawOptions raw_;
  bool best_ = false;
};

}  // namespace

std::unique_ptr<options::Command> make_ladder(options::Options& options) {
  return std::make_unique<LadderCommand>(options);
}

}  // namespace graphbench::ladder
