// Runs a plan's tasks one after the other, and decides which cells fail when a worker dies.
#include "harness/sweep/run_sweep.hpp"

#include <algorithm>
#include <set>

#include "graphbench_version.hpp"
#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/machine/environment.hpp"
#include "harness/measure/ranks/group.hpp"
#include "harness/measure/worker/worker_fields.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/cell_summary.hpp"
#include "harness/model/statistics/summary.hpp"
#include "harness/sweep/cell_table.hpp"

namespace graphbench::sweep {
namespace {

// What the running worker has reported.
struct Worker {
  std::vector<std::int64_t> reported = {};
  std::string phase = {};
  std::int64_t phase_batch = 0;
  std::optional<std::int64_t> stopped_at = {};  // the batch at which the worker ended itself
  std::optional<model::Reason> error = {};
};

class Sweep {
 public:
  Sweep(const model::Plan& plan, const model::DeviceFacts& facts, const SweepSettings& settings,
        process::ProcessSupervisor& supervisor, SweepListener& listener)
      : here_{settings.hostname, facts.uuid},
        remainder_(remainder_of(plan, settings.finished, here_)),
        plan_(plan),
        facts_(facts),
        settings_(settings),
        supervisor_(supervisor),
        listener_(listener),
        table_(plan_),
        tracker_(plan, remainder_.tasks) {}

  SweepOutcome run() {
    outcome_.result.started_at = utc_now();
    take_over();
    for (const model::WorkerTask& task : remainder_.tasks) {
      outcome_.interrupted = outcome_.interrupted || supervisor_.interrupted();
      if (outcome_.interrupted) break;
      run_task(task);
    }
    finish();
    return std::move(outcome_);
  }

 private:
  void take_over() {
    if (remainder_.taken_over.empty()) return;
    for (const TakenOver& each : remainder_.taken_over) {
      const FinishedTask& kept = *each.kept;
      const model::DeviceFacts facts = facts_;
      table_.begin_task(each.task);
      apply_kept(kept);
      table_.add_worker_seconds(kept.worker_seconds, each.task.batches);
      table_.mark_resumed(kept.on == here_ ? std::nullopt : std::optional(kept.on));
      if (kept.on != here_) facts_ = facts;
    }
    report_progress();
    tell(table_.done());
  }

  // Checks the events again: the journal's digests prove only that nothing changed since the write.
  void apply_kept(const FinishedTask& kept) {
    try {
      for (const std::string& line : kept.events)
        apply(model::read_data<measure::WorkerEvent>(line, "read worker event"));
    } catch (const Error& error) {
      throw InputError(settings_.finished_in,
                       "task " + kept.id + " has an invalid line: " + error.what() +
                           ": remove the file (its measurements are lost), or give another --json");
    }
  }

  void tell(std::vector<model::CellResult> done) {
    model::summarize_cells(done);
    if (settings_.floors) model::add_submit_over_floor(*settings_.floors, done);
    model::add_launch_bound(facts_.kind, done);
    listener_.cells_done(done);
  }

  void report_progress() {
    listener_.update(tracker_.at(since_start_.seconds(), table_.measurements(), table_.failures()));
  }

  // Runs workers one after another until all batches of the task are reported: a batch may crash its worker.
  void run_task(const model::WorkerTask& planned) {
    model::WorkerTask task = planned;
    table_.begin_task(task);
    tracker_.begin_task(task, since_start_.seconds());
    leave_out_fatal(task);
    finished_ = {task_id(planned), here_};
    const std::int64_t failures = table_.failures();
    for (task.batches = table_.unreported_batches(); !task.batches.empty();
         task.batches = table_.unreported_batches()) {
      run_worker(task);
      if (outcome_.interrupted) return;
    }
    if (settings_.keep && table_.failures() == failures) settings_.keep(finished_);
    tracker_.end_task(since_start_.seconds());
    report_progress();
    tell(table_.done_beside_task());
  }

  void leave_out_fatal(const model::WorkerTask& task) {
    for (const std::int64_t batch : task.batches) {
      if (!fatal_.contains(model::id_of(model::cell_of(task, batch)))) continue;
      table_.fail(batch, {"worker_crashed", "the worker process ended at this cell in an earlier launch"});
    }
  }

  void run_worker(const model::WorkerTask& task) {
    worker_ = {};
    report_progress();
    model::WorkerTask spawned = task;
    spawned.spawned_ns = steady_ns();
    const process::ChildCommand command{settings_.worker_command, model::write_data(spawned),
                                        settings_.worker_silent_seconds_max};
    const auto on_line = [this](std::string_view line) { take(line); };
    const auto on_tick = [this] { report_progress(); };
    const double began = since_start_.seconds();
    const process::ChildExit exit = model::ranks_of(task) == 1
                                        ? supervisor_.run(command, on_line, on_tick)
                                        : measure::run_group(supervisor_, command, spawned, on_line, on_tick);
    finished_.worker_seconds = since_start_.seconds() - began;
    table_.add_worker_seconds(finished_.worker_seconds, worker_.reported);
    if (exit.how == process::ChildExit::How::interrupted) {
      outcome_.interrupted = true;
    } else if (worker_.stopped_at && !table_.owes(*worker_.stopped_at)) {
      fatal_.insert(model::id_of(model::cell_of(task, *worker_.stopped_at)));
    } else {
      settle(task, exit);
    }
  }

  void take(std::string_view line) {
    measure::WorkerEvent event = model::read_data<measure::WorkerEvent>(line, "read worker event");
    if (event.cell) {
      for (model::Launch& launch : event.cell->launches) launch.within = model::within_launch(launch);
      worker_.reported.push_back(event.cell->cell.batch);
    }
    apply(event);
    if (event.stopped) worker_.stopped_at = event.batch;
    if (event.error) worker_.error = event.error;
    if (!event.phase.empty()) {
      worker_.phase = event.phase;
      worker_.phase_batch = event.batch;
      tracker_.phase(event.batch, event.phase);
    }
    if (event.cell || !event.phase.empty()) report_progress();
    keep(std::move(event), line);
  }

  // Records a worker's message, which may come from an earlier run.
  void apply(const measure::WorkerEvent& event) {
    if (event.device) facts_ = *event.device;
    model::add_choices(outcome_.result.environment.library_choices, event.choices);
    if (event.cell) table_.add_cell(*event.cell);
    if (event.memory) table_.add_memory(event.batch, *event.memory);
    if (event.profile) table_.reported(event.batch).profile = event.profile;
    if (event.trace) outcome_.trace.push_back(*event.trace);
    take_state(event.profiler, profiler_);
    take_state(event.monitor, monitor_);
  }

  // Keeps the first failure of an instrument or, without a failure, the last state.
  static void take_state(const std::optional<model::InstrumentState>& said,
                         std::optional<model::InstrumentState>& state) {
    if (said && (!state || state->available)) state = said;
  }

  // Keeps a message if there is a journal; by default with only the first steps' samples, to save space.
  void keep(measure::WorkerEvent event, std::string_view line) {
    const bool about_the_worker = !event.phase.empty() || event.error || event.stopped;
    if (!settings_.keep || about_the_worker) return;
    if (!event.cell || settings_.keep_samples) {
      finished_.events.emplace_back(line);
      return;
    }
    for (model::Launch& launch : event.cell->launches) {
      std::vector<double>& ramp = launch.latency_samples;
      ramp.resize(std::min(ramp.size(), static_cast<std::size_t>(model::ramp_samples)));
      launch.submit_samples.clear();
      launch.device_samples.clear();
      launch.latency_started_ns.clear();
      launch.device_started_ns.clear();
    }
    finished_.events.push_back(model::write_data(event));
  }

  std::string last_phase() const {
    if (worker_.phase.empty()) return "before its first phase";
    return "in phase " + worker_.phase +
           (worker_.phase_batch > 0 ? " of batch " + std::to_string(worker_.phase_batch) : "");
  }

  model::Reason reason_of(const process::ChildExit& exit) const {
    using How = process::ChildExit::How;
    if (exit.how == How::exited && worker_.error) return *worker_.error;
    return {exit.how == How::timed_out ? "worker_timeout" : "worker_crashed",
            process::how_it_ended(exit, settings_.worker_silent_seconds_max, last_phase())};
  }

  void settle(const model::WorkerTask& task, const process::ChildExit& exit) {
    const model::Reason reason = reason_of(exit);
    if (worker_.phase_batch > 0 && table_.fail(worker_.phase_batch, reason)) {
      fatal_.insert(model::id_of(model::cell_of(task, worker_.phase_batch)));
      return;
    }
    if (table_.fail_unreported(reason) > 0) return;
    if (exit.well()) return;
    const std::string name = task.workload + "/" + task.preset + "/" + task.dtype + "/" + task.pass + "/w" +
                             std::to_string(task.warmup) + "/" + task.mode;
    outcome_.warnings.push_back("worker " + name + " failed after its last cell: " + reason.code + ": " +
                                reason.message);
  }

  void finish() {
    model::Result& result = outcome_.result;
    if (outcome_.interrupted) table_.skip_pending();
    finish_result(plan_, facts_, result);
    result.complete = !outcome_.interrupted;
    result.environment.profiler = profiler_;
    result.environment.monitor = monitor_;
    result.cells = table_.take_cells();
    model::summarize_cells(result.cells);
    model::add_launch_bound(facts_.kind, result.cells);
    for (const model::CellResult& cell : result.cells) {
      if (cell.status == model::CellStatus::failed) ++outcome_.cells_failed;
    }
  }

  const model::MeasuredOn here_{};
  const Remainder remainder_;
  const model::Plan& plan_;
  model::DeviceFacts facts_{};
  const SweepSettings& settings_;
  process::ProcessSupervisor& supervisor_;
  SweepListener& listener_;
  CellTable table_;
  ProgressTracker tracker_;
  const Stopwatch since_start_;
  std::set<std::string> fatal_;  // ids of cells that ended a worker
  FinishedTask finished_;        // the task that is being measured
  Worker worker_;
  std::optional<model::InstrumentState> profiler_;
  std::optional<model::InstrumentState> monitor_;
  SweepOutcome outcome_;
};

}  // namespace

void finish_result(const model::Plan& plan, const model::DeviceFacts& facts, model::Result& result) {
  result.tool_version = GRAPHBENCH_VERSION;
  result.tool_commit = GRAPHBENCH_COMMIT;
  result.finished_at = utc_now();
  result.complete = true;
  result.plan = plan.facts;
  std::vector<model::LibraryChoice> choices = std::move(result.environment.library_choices);
  result.environment = measure::read_environment(facts);
  result.environment.library_choices = std::move(choices);
  result.environment.no_gpu = plan.no_gpu;
}

SweepOutcome run_sweep(const model::Plan& plan, const model::DeviceFacts& facts,
                       const SweepSettings& settings, process::ProcessSupervisor& supervisor,
                       SweepListener& listener) {
  return Sweep(plan, facts, settings, supervisor, listener).run();
}

}  // namespace graphbench::sweep
