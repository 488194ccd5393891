// Runs graphbench ab, which measures two binaries, one binary in two environments, or this binary twice.
#include "harness/options/command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/ab/run_interleaved.hpp"
#include "harness/judge/ab/schedule.hpp"
#include "harness/judge/ab/sub_sweep.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/judge/compare/read_side.hpp"
#include "harness/judge/verdict.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/driver.hpp"
#include "harness/sweep/plan/shards.hpp"
#include "harness/sweep/planning.hpp"
#include "reporters/format.hpp"

namespace graphbench::judge {
namespace {

constexpr const char* ab_footer =
    "Launches of the two sides alternate (ABBA), so that a drift affects both sides equally. --launches "
    "counts\n"
    "per side; the default is 5. Without --base, --new, --env-a and --env-b this binary is measured against\n"
    "itself, and the last line says which slowdown this machine can find. Exit codes: those of compare, and\n"
    "130 interrupted (the measurements are kept).\n";

const std::string launches_default = "5";

bool is_by_cell(const std::string& text) {
  static const std::vector<std::string> words = {"ladder", "cell"};
  if (text == words.front() || text == words.back()) return text == words.back();
  throw InputError("--alternate",
                   in_quotes(text) + " is not valid: give ladder or cell" + did_you_mean(text, words));
}

// --alternate, and the options that `ab` passes on to its sweeps. The options of refused_options() are
// parsed too, so that the error can name them.
class SideBySideOptions {
 public:
  explicit SideBySideOptions(options::Options& options) : options_(options) {
    options.text(
        "--alternate", alternate_, "ladder|cell",
        "ladder: the sides alternate after all batches of a mode; cell: after each cell (default: ladder)");
    options.config_file();
    options.sweep_options(options::option_names(), refused_options());
    // Replaces the text from the table of sweep options, which names another default.
    options.describe("--launches", "worker processes per cell and side (default: " + launches_default + ")");
  }

  // If `launches` is not 0, plans this number of launches and refuses --launches. Throws InputError for
  // refused options.
  void check(std::int64_t launches = 0) {
    sweep_ = options_.sweep();
    for (const std::string& name : refused_options()) {
      const auto found = sweep_.find(name);
      if (found == sweep_.end()) continue;
      throw InputError(
          found->second.front().where,
          "ab does not accept this option: leave it out (give --json-base and --json-new for the results)");
    }
    if (launches != 0) {
      if (const auto given = sweep_.find("launches"); given != sweep_.end())
        throw InputError(given->second.front().where,
                         "--until-decided sets the number of launches: leave one of the two options out");
      sweep_["launches"].push_back({std::to_string(launches), "--until-decided"});
    }
    if (!sweep_.contains("launches")) sweep_["launches"].push_back({launches_default, "--launches"});
    cell_processes_ = is_by_cell(alternate_);
  }

  InterleavedRequest request() const {
    InterleavedRequest request;
    request.raw = sweep_;
    request.options = options::check_options(sweep_);
    request.seed = static_cast<std::uint64_t>(request.options.seed);
    return request;
  }

  model::Plan plan(const InterleavedRequest& request, const std::vector<std::string>& argv,
                   process::ProcessSupervisor& supervisor) const {
    model::Plan plan = sweep::make_checked_plan(request.options, argv, supervisor).plan;
    return cell_processes_ ? one_cell_a_task(std::move(plan)) : plan;
  }

 private:
  const options::Options& options_;
  std::string alternate_ = "ladder";
  bool cell_processes_ = false;
  options::RawOptions sweep_;  // flags override the file; check() adds "launches" if it is not given
};

constexpr double minutes_max = 1e5;  // ten weeks
constexpr double slowdown_wanted = 0.05;

struct AbArguments {
  std::string base;  // path of the binary; empty: this binary
  std::string now;
  std::vector<std::string> base_environment;  // "NAME=VALUE"
  std::vector<std::string> new_environment;
  std::string json_base = "graphbench-base.json";
  std::string json_new = "graphbench-new.json";
  bool confirm = false;
  std::string until_decided;  // minutes; empty: not given
  VerdictArguments verdict;

  bool against_itself() const {
    return base.empty() && now.empty() && base_environment.empty() && new_environment.empty();
  }
};

struct Files {
  std::string base;
  std::string now;
};

// Makes "graphbench-base.again.json" of "graphbench-base.json".
std::string again(const std::string& path) {
  std::filesystem::path name = path;
  const std::string extension = name.extension().string();
  return name.replace_extension(".again" + extension).string();
}

// The path of this binary. If the file was replaced, the path ends with " (deleted)", and check_target()
// refuses it.
std::string own_binary() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

Target target_of(const char* where, const std::string& binary, const std::vector<std::string>& environment,
                 const char* environment_where) {
  for (const std::string& variable : environment) check_variable(environment_where, variable);
  return {where, binary.empty() ? own_binary() : binary, environment};
}

void keep(const InterleavedOutcome& outcome, const Files& files) {
  if (outcome.interrupted && !outcome.base && !outcome.now) throw process::Interrupted();
  const auto write = [](const std::string& path, const std::optional<model::Result>& result) {
    if (result) write_file_atomically(path, model::to_json(*result));
  };
  write(files.base, outcome.base);
  write(files.now, outcome.now);
}

// The files in which an interrupted measurement is kept.
std::string names_of_kept(const InterleavedOutcome& outcome, const Files& files) {
  if (outcome.base && outcome.now) return files.base + " and " + files.now;
  return outcome.base ? files.base : files.now;
}

model::Comparison compare_sides(const InterleavedOutcome& outcome, const Files& files,
                                const model::ComparisonSettings& settings) {
  return compare(side_of(*outcome.base, files.base), side_of(*outcome.now, files.now), settings);
}

// Throws Error(device_failed) if a side has no result: all its launches failed before their device was open.
void check_measured(const InterleavedOutcome& outcome, const InterleavedRequest& request) {
  for (const auto& [result, target] :
       {std::pair(&outcome.base, &request.base), std::pair(&outcome.now, &request.now)}) {
    if (!*result) {
      throw Error(ErrorCode::device_failed,
                  "measure " + target->binary +
                      ": no sweep of this binary wrote a result: try the binary with --sweep");
    }
  }
}

std::string self_text(const model::Comparison& itself) {
  const std::int64_t launches = itself.base.launches_max;
  const std::optional<double> found = slowdown_found_by(launches, itself);
  const std::optional<std::int64_t> needed = launches_to_find(slowdown_wanted, itself);
  return fmt::format(
      "This binary against itself: {} launch{} per side {} a slowdown of {} of one cell's latency in nine "
      "cases of ten; finding a slowdown of {} takes {} launches per side.",
      launches, launches == 1 ? "" : "es", found ? "would find" : "would not find even",
      found ? reporters::percent_text(found) : "1000 %", reporters::percent_text(slowdown_wanted),
      needed ? std::to_string(*needed) : "more than " + std::to_string(launches_max));
}

double seconds_of_minutes(const std::string& text) {
  const std::optional<double> minutes = options::parse_real(text);
  if (minutes && *minutes > 0 && *minutes <= minutes_max) return *minutes * 60;
  throw InputError("--until-decided",
                   fmt::format("{} is not a number of minutes: give a number above 0 and at most {:.0f}, "
                               "e.g. 60, or leave the number out, which means 60",
                               in_quotes(text), minutes_max));
}

class AbJob final : public sweep::Job {
 public:
  AbJob(const AbArguments& asked, const SideBySideOptions& sweep, InterleavedRequest request,
        const options::Invocation& invocation)
      : asked_(asked),
        sweep_(sweep),
        invocation_(invocation),
        verdict_(asked.verdict),
        request_(std::move(request)),
        files_{asked.json_base, asked.json_new} {}

  std::string name() const override { return "ab"; }

  void check() override {
    request_.base = target_of("--base", asked_.base, asked_.base_environment, "--env-a");
    request_.now = target_of("--new", asked_.now, asked_.new_environment, "--env-b");
    if (!asked_.until_decided.empty())
      request_.until_decided = UntilDecided{seconds_of_minutes(asked_.until_decided), verdict_.settings};
  }

  // Writes the sides' results after each measurement, so that a kill in the confirmation leaves the first.
  std::vector<sweep::Output> outputs() override {
    std::vector<sweep::Output> outputs = {{"--json-base", files_.base}, {"--json-new", files_.now}};
    if (asked_.confirm) {
      outputs.push_back({"--confirm", again(files_.base)});
      outputs.push_back({"--confirm", again(files_.now)});
    }
    if (kept_.empty())
      outputs.push_back({"-o", verdict_.output, [&] { return verdict_text(comparison_, verdict_); }});
    return outputs;
  }

  std::optional<int> plan(process::ProcessSupervisor& supervisor) override {
    check_target(supervisor, request_.base);
    check_target(supervisor, request_.now);
    request_.plan = sweep_.plan(request_, invocation_.argv, supervisor);
    return std::nullopt;
  }

  sweep::Outlook outlook(const sweep::Earlier&) const override {
    const model::Plan& plan = request_.plan;
    return {"per side " + sweep::plan_in_words(std::ssize(plan.cells), std::ssize(plan.tasks)),
            sweep::estimated_seconds(plan.tasks)};
  }

  bool measure(sweep::Run& run) override {
    const std::optional<InterleavedOutcome> first = measured(run, files_);
    if (!first) return false;
    cells_failed_ = first->cells_failed > 0;
    comparison_ = compare_sides(*first, files_, verdict_.settings);
    if (!asked_.confirm || !any_slower(comparison_.counts)) return true;
    request_.plan = plan_to_confirm(request_.plan, comparison_);
    request_.seed += static_cast<std::uint64_t>(request_.plan.facts.launches);
    const Files more{again(files_.base), again(files_.now)};
    const std::optional<InterleavedOutcome> second = measured(run, more);
    if (second) apply_confirmation(comparison_, compare_sides(*second, more, verdict_.settings));
    return second.has_value();
  }

  sweep::Findings findings(bool) override {
    if (!kept_.empty()) return {};
    sweep::Findings found{.exit_code = exit_code_of(comparison_)};
    if (found.exit_code == model::exit_done && cells_failed_) found.exit_code = model::exit_cells_failed;
    if (verdict_.output.empty()) {
      found.report = report_of(comparison_);
      found.format = verdict_.format;
      found.document = [&] { return verdict_text(comparison_, verdict_); };
    }
    if (!asked_.against_itself()) return found;
    // On stdout, this line may follow only the table, because the other formats are documents.
    if (found.report && verdict_.format->name == "table") {
      found.report->closing.push_back({self_text(comparison_)});
    } else {
      found.complaints.push_back(self_text(comparison_));
    }
    return found;
  }

  std::string kept_in() const override { return kept_; }

 private:
  // Writes both sides to `files`. nullopt if the user interrupts.
  std::optional<InterleavedOutcome> measured(sweep::Run& run, const Files& files) {
    InterleavedOutcome outcome = run_interleaved(request_, run.supervisor, run.progress);
    run.progress.finish();
    keep(outcome, files);
    if (outcome.interrupted) {
      kept_ = names_of_kept(outcome, files);
      return std::nullopt;
    }
    check_measured(outcome, request_);
    return outcome;
  }

  const AbArguments& asked_;
  const SideBySideOptions& sweep_;
  const options::Invocation& invocation_;
  const VerdictRequest verdict_;
  InterleavedRequest request_;
  const Files files_;
  model::Comparison comparison_;
  bool cells_failed_ = false;
  std::string kept_;  // set if the user interrupts
};

class AbCommand final : public options::Command {
 public:
  explicit AbCommand(options::Options& options) : sweep_(options) {
    options.footer(ab_footer);
    options.text("--base", asked_.base, "BINARY", "the older graphbench (default: this one)");
    options.text("--new", asked_.now, "BINARY", "the newer graphbench (default: this one)");
    options.texts("--env-a", asked_.base_environment, "NAME=VALUE",
                  "an environment variable for BASE (repeatable)");
    options.texts("--env-b", asked_.new_environment, "NAME=VALUE",
                  "an environment variable for NEW (repeatable)");
    options.text("--json-base", asked_.json_base, "FILE",
                 "file for BASE's result (default: graphbench-base.json)");
    options.text("--json-new", asked_.json_new, "FILE",
                 "file for NEW's result (default: graphbench-new.json)");
    options.flag("--confirm", asked_.confirm, "before the verdict, measure again the cells that were slower");
    options.text_or("60", "--until-decided", asked_.until_decided, "MINUTES",
                    "launch each task 5, then 10, 15 and at most 20 times, until the verdict is sure or this "
                    "time is over (default: 60)");
    add_verdict_options(options, asked_.verdict);
  }

  void check() override {
    sweep_.check(asked_.until_decided.empty() ? 0 : launches_until_decided);
    if (!asked_.until_decided.empty()) {
      seconds_of_minutes(asked_.until_decided);
      if (asked_.confirm)
        throw InputError(
            "--confirm",
            "--until-decided measures until the verdict is sure: leave one of the two options out");
    }
  }

  int run(const options::Invocation& invocation) override {
    const InterleavedRequest request = sweep_.request();
    AbJob job(asked_, sweep_, request, invocation);
    return sweep::drive(job, request.options);
  }

 private:
  AbArguments asked_;
  SideBySideOptions sweep_;
};

}  // namespace

std::unique_ptr<options::Command> make_ab(options::Options& options) {
  return std::make_unique<AbCommand>(options);
}

}  // namespace graphbench::judge
