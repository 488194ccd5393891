// The profiling pass: prepares and runs each batch again under the profiler, so that the timeline shows its
// setup, and its graphs are instantiated while recording is on.
#include <algorithm>
#include <memory>
#include <new>
#include <string>

#include "graphs/base/clock.hpp"
#include "harness/measure/worker/empty_graph.hpp"
#include "harness/measure/worker/phase_times.hpp"
#include "harness/measure/worker/profile_summary.hpp"
#include "harness/measure/worker/task_run.hpp"

namespace graphbench::measure {
namespace {

constexpr int checked_steps = 9;

// The number of empty kernels of a delay, during which the host submits a step's first kernels.
constexpr std::size_t delay_kernels = 128;

// Removes the delay's own records, which come first.
void drop_delay(std::vector<Activity>& activities) {
  if (activities.size() < delay_kernels + 2) {
    throw Error(ErrorCode::internal, "profile a step after " + std::to_string(delay_kernels) +
                                         " empty kernels: the profiler has only " +
                                         std::to_string(activities.size()) + " records");
  }
  std::ranges::sort(activities, {}, &Activity::start_seconds);
  activities.erase(activities.begin(), activities.begin() + static_cast<std::ptrdiff_t>(delay_kernels));
}

class BatchProfile {
 public:
  BatchProfile(const model::WorkerTask& task, TaskRig& rig, ActivityProfiler& profiler)
      : task_(task),
        rig_(rig),
        profiler_(profiler),
        begin_(rig.device().make_event()),
        end_(rig.device().make_event()) {}

  // `device_seconds`: the step's device time without the profiler.
  model::Profile run(std::int64_t batch, const std::optional<model::Summary>& device_seconds) {
    set_up(batch);
    for (int i = 0; i < profile_settling_steps; ++i) {
      span(i == 0 ? "first step" : "step", [&] { executor_->submit(); });
    }
    collect();
    std::vector<RecordedStep> steps;
    for (int i = 0; i < recorded_steps; ++i) {
      span("step", [&] { submit_between_events(); });
      std::vector<Activity> activities = collect();
      steps.push_back({end_->seconds_since(*begin_), std::move(activities)});
    }
    trace_phases();
    model::Profile profile = summarize_profile(steps);
    name_ops(profile.top);
    if (device_seconds && device_seconds->p50 > 0)
      profile.slowdown = profile.device_seconds / device_seconds->p50;
    profile.witness = check_device_time();
    return profile;
  }

  const std::vector<model::TraceSpan>& spans() const { return spans_; }

 private:
  void set_up(std::int64_t batch) {
    const bool is_eager = rig_.mode() == execution::ExecutionMode::eager;
    if (!is_eager) pool_ = std::make_unique<execution::MemoryPool>(rig_.device());
    span("prepare",
         [&] { executor_ = execution::make_executor(rig_.mode(), rig_.context(pool_.get()), batch); });
    span("warmup", [&] {
      for (std::int64_t i = 0; i < task_.warmup; ++i) executor_->warm_up();
    });
    if (is_eager) return;
    span("capture", [&] { executor_->capture(); });
    span("instantiate", [&] { executor_->instantiate(); });
    span("upload", [&] { executor_->upload(); });
  }

  // Records a span on the host's track, until the work that `phase` enqueues is done.
  template <typename Phase>
  void span(const char* name, Phase&& phase) {
    const double start = steady_seconds();
    phase();
    const double submitted = steady_seconds();
    rig_.stream().synchronize();
    spans_.push_back({"host", name, start, steady_seconds() - start});
    if (std::string(name).ends_with("step")) spans_.push_back({"host", "submit", start, submitted - start});
  }

  void trace_phases() {
    if (executor_->io()) return;
    const std::vector<execution::StepItem> items = executor_->items();
    const std::vector<PhaseRun> runs = phase_runs(rig_.program(), items);
    double start = 0;
    if (runs.size() < 2) return;
    submit_by_phases(rig_.stream(), items, runs, [&](std::size_t run) {
      rig_.stream().synchronize();
      const double now = steady_seconds();
      if (run > 0) spans_.push_back({"host", runs[run - 1].phase, start, now - start});
      start = now;
    });
    static_cast<void>(collect());
  }

  // Runs eager's step once more, an op at a time. A graph launches the same kernels.
  void name_ops(std::vector<model::ProfileEntry>& kernels) {
    execution::Executor& eager = executor_->eager();
    if (eager.io()) return;
    eager.submit();
    rig_.stream().synchronize();
    static_cast<void>(profiler_.collect());
    KernelOps ops;
    for (const execution::StepItem& item : eager.items()) {
      item.kernel->launch(rig_.stream(), item.operands);
      rig_.stream().synchronize();
      ops.add(rig_.program().ops()[item.op].name, profiler_.collect());
    }
    ops.name(kernels);
  }

  std::vector<Activity> collect() {
    std::vector<Activity> activities = profiler_.collect();
    for (const Activity& activity : activities) {
      spans_.push_back(
          {"device", activity.name, activity.start_seconds, activity.end_seconds - activity.start_seconds});
    }
    return activities;
  }

  void submit_between_events() {
    begin_->record(rig_.stream());
    executor_->submit();
    end_->record(rig_.stream());
  }

  // A delay keeps the device busy while the host submits each step. On an idle stream the first event would
  // complete at once, and the host's time until the first launch would count as device time. Recording even
  // makes that time longer. Each step also runs between two empty kernels, which events and records both
  // include. Otherwise only events would include the microseconds from a graph's launch to its first kernel.
  model::DeviceTimeCheck check_device_time() {
    EmptyGraph delay(rig_.device(), rig_.stream(), delay_kernels);  // one call launches all its kernels
    static_cast<void>(profiler_.collect());
    std::vector<RecordedStep> steps;
    std::vector<RecordedStep> without;
    for (int i = 0; i < checked_steps; ++i) {
      steps.push_back(guarded(delay, [&] { executor_->submit(); }));
      without.push_back(guarded(delay, [] {}));
    }
    return summarize_time_check(steps, without);
  }

  template <typename Step>
  RecordedStep guarded(EmptyGraph& delay, Step&& step) {
    delay.launch();
    begin_->record(rig_.stream());
    delay.launch_kernel();
    step();
    delay.launch_kernel();
    end_->record(rig_.stream());
    rig_.stream().synchronize();
    std::vector<Activity> activities = profiler_.collect();
    drop_delay(activities);
    return {end_->seconds_since(*begin_), std::move(activities)};
  }

  const model::WorkerTask& task_;
  TaskRig& rig_;
  ActivityProfiler& profiler_;
  std::unique_ptr<Event> begin_;
  std::unique_ptr<Event> end_;
  // Declared before the executor, which uses the pool.
  std::unique_ptr<execution::MemoryPool> pool_;
  std::unique_ptr<execution::Executor> executor_;
  std::vector<model::TraceSpan> spans_;
};

std::string trace_process(const model::WorkerTask& task, std::int64_t batch) {
  return id_of(model::cell_of(task, batch)) +
         (task.launch > 0 ? " launch " + std::to_string(task.launch) : "");
}

}  // namespace

void tell_profiler(TaskRun& run, const std::function<model::InstrumentState(std::int64_t& batch)>& record) {
  model::InstrumentState state{};
  std::int64_t batch = 0;
  try {
    state = record(batch);
  } catch (const Error& error) {
    state.detail = (batch > 0 ? "batch " + std::to_string(batch) + ": " : "") + error.what();
  } catch (const std::bad_alloc&) {
    state.detail = "the worker's own heap is exhausted";
  }
  run.tell({.profiler = state});
}

void record_profiles(TaskRun& run) {
  const ProfilerResult made = run.placement->device().make_profiler();
  tell_profiler(run, [&](std::int64_t& at) -> model::InstrumentState {
    if (made.profiler == nullptr) return {.available = false, .detail = made.detail};
    for (const BatchRun& batch : run.batches) {
      if (batch.result.status != model::CellStatus::ok || !batch.result.fallback.empty()) continue;
      at = batch.size;
      run.tell_phase(at, "profile");
      BatchProfile profile(run.task, run.program_rig(), *made.profiler);
      run.tell({.batch = at, .profile = profile.run(at, batch.result.launches.back().device_seconds)});
      if (run.task.settings.instruments.trace)
        run.tell(
            {.trace = model::TraceProcess{.name = trace_process(run.task, at), .spans = profile.spans()}});
    }
    return {.available = true, .detail = made.detail};
  });
}

}  // namespace graphbench::measure
