// Prepares each batch anew under the profiler, so that the timeline shows its setup too and graphs are
// instantiated with recording on.
#include "harness/worker/profile_pass.hpp"

#include <chrono>
#include <memory>
#include <new>
#include <string>

#include "harness/worker/profile_summary.hpp"

namespace graphbench::worker {
namespace {

constexpr int settling_steps = 3;
constexpr int recorded_steps = 5;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class BatchProfile {
 public:
  BatchProfile(const ProfilePass& pass, ActivityProfiler& profiler) : pass_(pass), profiler_(profiler) {}

  model::Profile run(std::int64_t batch) {
    set_up(batch);
    for (int i = 0; i < settling_steps; ++i) {
      span(i == 0 ? "first step" : "step", [&] { executor_->submit(); });
    }
    collect();
    std::vector<std::vector<Activity>> steps;
    for (int i = 0; i < recorded_steps; ++i) {
      span("step", [&] { executor_->submit(); });
      steps.push_back(collect());
    }
    return summarize_profile(steps);
  }

  const std::vector<model::TraceSpan>& spans() const { return spans_; }

 private:
  void set_up(std::int64_t batch) {
    pool_ = pass_.mode == execution::ExecutionMode::eager ? nullptr
                                                          : std::make_unique<pool::MemoryPool>(pass_.device);
    span("prepare",
         [&] { executor_ = execution::make_executor(pass_.mode, pass_.context(pool_.get()), batch); });
    span("warmup", [&] {
      for (std::int64_t i = 0; i < pass_.task.warmup; ++i) executor_->warm_up();
    });
    if (pass_.mode == execution::ExecutionMode::eager) return;
    span("capture", [&] { executor_->capture(); });
    span("instantiate", [&] { executor_->instantiate(); });
    span("upload", [&] { executor_->upload(); });
  }

  // A phase on the host's track, with what it enqueued done.
  template <typename Phase>
  void span(const char* name, Phase&& phase) {
    const double start = now_seconds();
    phase();
    const double submitted = now_seconds();
    pass_.stream.synchronize();
    spans_.push_back({"host", name, start, now_seconds() - start});
    if (std::string(name).ends_with("step")) spans_.push_back({"host", "submit", start, submitted - start});
  }

  std::vector<Activity> collect() {
    std::vector<Activity> activities = profiler_.collect();
    for (const Activity& activity : activities) {
      spans_.push_back(
          {"device", activity.name, activity.start_seconds, activity.end_seconds - activity.start_seconds});
    }
    return activities;
  }

  const ProfilePass& pass_;
  ActivityProfiler& profiler_;
  // Before the executor, which draws on it.
  std::unique_ptr<pool::MemoryPool> pool_;
  std::unique_ptr<execution::Executor> executor_;
  std::vector<model::TraceSpan> spans_;
};

std::string trace_process(const model::WorkerTask& task, std::int64_t batch) {
  model::Cell cell{task.workload, task.preset, task.dtype, task.pass, batch, task.warmup, task.mode};
  return id_of(cell) + (task.launch > 0 ? " launch " + std::to_string(task.launch) : "");
}

}  // namespace

void run_profile_pass(const ProfilePass& pass, WorkerEvents& events) {
  const ProfilerResult records = pass.device.make_profiler();
  if (records.profiler == nullptr) {
    events.instrument("profiler", {false, records.detail});
    return;
  }
  for (const std::int64_t batch : pass.batches) {
    events.phase(batch, "profile");
    try {
      BatchProfile profile(pass, *records.profiler);
      events.profile(batch, profile.run(batch));
      if (pass.task.instruments.trace) events.trace(trace_process(pass.task, batch), profile.spans());
    } catch (const Error& error) {
      events.instrument("profiler", {false, "batch " + std::to_string(batch) + ": " + error.what()});
      return;
    } catch (const std::bad_alloc&) {
      events.instrument("profiler", {false, "the worker's own heap is exhausted"});
      return;
    }
  }
  events.instrument("profiler", {true, records.detail});
}

}  // namespace graphbench::worker
