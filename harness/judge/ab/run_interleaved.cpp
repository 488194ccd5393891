// Measures two sides in turn. Each run starts the side's binary with `--sweep` and reads a result document.
#include "harness/judge/ab/run_interleaved.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include "graphs/base/clock.hpp"
#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/ab/schedule.hpp"
#include "harness/judge/ab/sub_sweep.hpp"
#include "harness/judge/compare/compare.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/sweep/cell_table.hpp"

namespace graphbench::judge {
namespace {

using How = process::ChildExit::How;

// `ab` waits practically forever for a silent sweep, because the sweep has timeouts for its own workers.
constexpr double silent_seconds_max = 1e8;

// A comparison needs two launches per side, so `ab --until-decided` makes two even if its time is up.
constexpr std::int64_t launches_judged_min = 2;

std::vector<model::WorkerTask> groups_of(const model::Plan& plan) {
  std::vector<model::WorkerTask> groups;
  for (const model::WorkerTask& task : plan.tasks) {
    if (task.launch == 0) groups.push_back(task);
  }
  return groups;
}

// Returns a plan with one task per run. The progress tracker estimates the remaining time from these tasks.
model::Plan plan_of_runs(const std::vector<Run>& runs, const std::vector<model::WorkerTask>& groups) {
  model::Plan plan;
  for (const Run& run : runs) plan.tasks.push_back(groups[run.group]);
  return plan;
}

std::string unique_id(const model::Plan& plan) {
  return sha256_hex(plan.facts.hash + " " + utc_now() + " " + std::to_string(steady_ns()) + " " +
                    std::to_string(getpid()))
      .substr(0, 32);
}

std::string name_of(Role role) {
  return role == Role::base ? "base" : "new";
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error)
      throw Error(ErrorCode::io, "find a temporary folder: " + error.message() + ": set TMPDIR to a folder");
    path_ = (parent / "graphbench-ab-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr)
      throw Error(ErrorCode::io, "make a folder in " + parent.string() + ": " + std::strerror(errno));
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);  // ignores `error`: the system removes what is left
  }

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Returns the file's text and removes the file, so that the next run cannot read it. Throws Error(io).
  static std::string take(const std::string& file) {
    WholeFile read = read_whole_file(file, model::document_bytes_max);
    if (!read.why_not.empty()) throw Error(ErrorCode::io, file + " " + read.why_not);
    std::error_code error;
    if (!std::filesystem::remove(file, error))
      throw Error(ErrorCode::io, "remove " + file + ": " + error.message());
    return std::move(read.text);
  }

 private:
  std::string path_;
};

class Interleaved {
 public:
  Interleaved(const InterleavedRequest& request, process::ProcessSupervisor& supervisor,
              sweep::SweepListener& progress)
      : request_(request),
        supervisor_(supervisor),
        progress_(progress),
        groups_(groups_of(request.plan)),
        runs_(make_schedule(groups_.size(), request.plan.facts.launches, request.seed)),
        tracker_(plan_of_runs(runs_, groups_)),
        base_(request.plan),
        now_(request.plan),
        id_(unique_id(request.plan)),
        going_(groups_.size(), true) {}

  InterleavedOutcome run() {
    started_at_ = utc_now();
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      outcome_.interrupted = outcome_.interrupted || supervisor_.interrupted();
      if (outcome_.interrupted || (i % 2 == 0 && is_over(i))) break;
      if (!going_[runs_[i].group]) continue;
      measure(runs_[i]);
      launches_ = runs_[i].launch + 1;
    }
    finish();
    return std::move(outcome_);
  }

 private:
  void tell(const Run& run) {
    model::Progress progress =
        tracker_.at(since_start_.seconds(), measurements_, base_.cells_failed() + now_.cells_failed());
    const model::WorkerTask& task = groups_[run.group];
    progress.worker = name_of(run.role) + " " + task.workload + " " + task.dtype + " " + task.mode + " w" +
                      std::to_string(task.warmup);
    if (request_.plan.facts.cell_processes)
      progress.worker.append(" b").append(std::to_string(task.batches.front()));
    progress.phase = "launch " + std::to_string(run.launch + 1);
    progress_.update(progress);
  }

  // Returns true if `ab` ends before the pair of runs at `i`. Calls look() first if a look is due.
  bool is_over(std::size_t i) {
    if (!request_.until_decided) return false;
    const std::span planned(planned_looks);
    if (looks_.size() < planned.size() && runs_[i].launch == planned[looks_.size()]) look(i);
    const bool can_be_judged = runs_[i].launch >= launches_judged_min;
    return (can_be_judged && since_start_.seconds() > request_.until_decided->seconds_max) ||
           !contains(going_, true);
  }

  // Compares the launches so far, and ends the decided groups. Ends no group while a side has no result.
  void look(std::size_t next) {
    looks_.push_back(runs_[next].launch);
    if (base_.empty() || now_.empty()) return;
    model::ComparisonSettings settings = request_.until_decided->settings;
    settings.more_looks = true;
    const std::vector<bool> undecided = undecided_groups(
        groups_,
        compare(side_of(result_of(Role::base), "BASE"), side_of(result_of(Role::now), "NEW"), settings));
    for (std::size_t i = next; i < runs_.size(); ++i) {
      const std::size_t group = runs_[i].group;
      if (going_[group] && !undecided[group]) tracker_.drop_task(groups_[group]);
    }
    for (std::size_t group = 0; group < going_.size(); ++group)
      going_[group] = going_[group] && undecided[group];
  }

  const Target& target_of(Role role) const { return role == Role::base ? request_.base : request_.now; }
  ResultMerge& merge_of(Role role) { return role == Role::base ? base_ : now_; }

  void measure(const Run& run) {
    const model::WorkerTask& task = groups_[run.group];
    const Target& target = target_of(run.role);
    const std::string json = folder_.file("run.json");
    const SubSweep sub_sweep{task, request_.seed + static_cast<std::uint64_t>(run.launch), json};
    process::ChildCommand command;
    command.argv = {file_of(target)};
    for (std::string& each : arguments_of(sub_sweep, request_.raw, request_.options))
      command.argv.push_back(std::move(each));
    command.environment = target.environment;
    command.silent_seconds_max = silent_seconds_max;
    tracker_.begin_task(task, since_start_.seconds());
    tell(run);
    const process::ChildExit exit = supervisor_.run(
        command, [](std::string_view) {}, [&] { tell(run); });
    if (exit.how == How::interrupted) {
      outcome_.interrupted = true;
      return;
    }
    take(run, exit, json);
    measurements_ += static_cast<std::int64_t>(task.batches.size());
    tracker_.end_task(since_start_.seconds());
    tell(run);
  }

  void take(const Run& run, const process::ChildExit& exit, const std::string& json) {
    const model::WorkerTask& task = groups_[run.group];
    const Target& target = target_of(run.role);
    const std::string said = process::last_lines(exit.output);
    if (exit.how == How::exited && exit.status == model::exit_bad_input)
      throw InputError(target.where, in_quotes(target.binary) + " refuses: " + said);
    const bool well =
        exit.how == How::exited && (exit.status == 0 || exit.status == model::exit_cells_failed);
    if (!well) {
      const std::string how = exit.how == How::exited ? "exit code " + std::to_string(exit.status)
                                                      : process::signal_name(exit.signal);
      merge_of(run.role).fail(task, {"sweep_failed", how + (said.empty() ? "" : ": " + said)});
      return;
    }
    try {
      merge_of(run.role).add(model::read_result(folder_.take(json), json), task, run.launch);
    } catch (const std::exception& error) {
      throw InputError(target.where, in_quotes(target.binary) + " wrote no result document for its sweep (" +
                                         error.what() + ")");
    }
  }

  model::Result result_of(Role role) {
    const model::Interleaved side = {.id = id_, .side = name_of(role), .looks = looks_};
    model::Result result = merge_of(role).result(side, !outcome_.interrupted);
    result.started_at = started_at_;
    result.finished_at = utc_now();
    return result;
  }

  void finish() {
    const bool looked = !looks_.empty() && looks_.back() == launches_;
    if (request_.until_decided && launches_ > 0 && !looked) looks_.push_back(launches_);
    if (!base_.empty()) outcome_.base = result_of(Role::base);
    if (!now_.empty()) outcome_.now = result_of(Role::now);
    outcome_.cells_failed = base_.cells_failed() + now_.cells_failed();
  }

  const InterleavedRequest& request_;
  process::ProcessSupervisor& supervisor_;
  sweep::SweepListener& progress_;
  const std::vector<model::WorkerTask> groups_;
  const std::vector<Run> runs_;
  sweep::ProgressTracker tracker_;
  ResultMerge base_;
  ResultMerge now_;
  ScratchFolder folder_;
  const Stopwatch since_start_;
  std::string started_at_;
  const std::string id_;
  std::int64_t measurements_ = 0;
  std::vector<bool> going_;  // by group; false: the group is decided
  std::int64_t launches_ = 0;
  std::vector<std::int64_t> looks_;
  InterleavedOutcome outcome_;
};

}  // namespace

InterleavedOutcome run_interleaved(const InterleavedRequest& request, process::ProcessSupervisor& supervisor,
                                   sweep::SweepListener& progress) {
  return Interleaved(request, supervisor, progress).run();
}

}  // namespace graphbench::judge
