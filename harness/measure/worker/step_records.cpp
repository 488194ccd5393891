// Records a foreign step and its eager step with the device's profiler, and times graphs of empty kernels.
// From both, computes the expected time of the eager step as one graph.
#include <array>

#include "graphs/base/clock.hpp"
#include "harness/measure/foreign/foreign_rig.hpp"
#include "harness/measure/worker/empty_graph.hpp"
#include "harness/measure/worker/profile_summary.hpp"
#include "harness/measure/worker/task_run.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::measure {
namespace {

constexpr int timed_replays = 50;
// The numbers of empty kernels in the two graphs that are timed. EmptyLine is the line through their times.
constexpr std::array<std::int64_t, 2> empty_kernels{1, 257};

using StepList = std::vector<RecordedStep>;

double latency_seconds(EmptyGraph&& graph, Stream& stream) {
  std::vector<double> seconds;
  for (int i = 0; i < timed_replays; ++i) {
    const Stopwatch watch;
    graph.launch();
    stream.synchronize();
    seconds.push_back(watch.seconds());
  }
  return model::median(seconds);
}

double busy_seconds(EmptyGraph&& graph, Stream& stream, ActivityProfiler& profiler) {
  static_cast<void>(profiler.collect());
  graph.launch();
  stream.synchronize();
  return busy_time(profiler.collect()).busy_seconds;
}

// The time of a graph of empty kernels: `first` for the first kernel and `per_kernel` for each further one.
// `busy`: the part of that time, per kernel, in which the device runs the kernel.
struct EmptyLine {
  double first = 0;
  double per_kernel = 0;
  double busy = 0;
};

EmptyLine measure_line(Device& device, Stream& stream) {
  std::array<double, 2> seconds{};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i] = latency_seconds(EmptyGraph(device, stream, empty_kernels[i]), stream);
  return {.first = seconds[0],
          .per_kernel = std::max(0.0, seconds[1] - seconds[0]) /
                        static_cast<double>(empty_kernels[1] - empty_kernels[0])};
}

double graph_seconds(const EmptyLine& line, const StepList& eager) {
  const model::Profile profile = summarize_profile(eager);
  const auto operations = static_cast<double>(eager.back().activities.size());
  return line.first + line.per_kernel * std::max(0.0, operations - 1) +
         std::max(0.0, profile.busy_seconds - operations * line.busy);
}

StepList record(execution::Executor& executor, Device& device, Stream& stream, ActivityProfiler& profiler) {
  const std::unique_ptr<Event> begin = device.make_event();
  const std::unique_ptr<Event> end = device.make_event();
  const auto submit = [&] {
    if (executor.restores()) {
      executor.restore();
      stream.synchronize();
      static_cast<void>(profiler.collect());
    }
    begin->record(stream);
    executor.submit();
    end->record(stream);
  };
  for (int i = 0; i < profile_settling_steps; ++i) submit();
  stream.synchronize();
  static_cast<void>(profiler.collect());
  StepList steps;
  for (int i = 0; i < recorded_steps; ++i) {
    submit();
    stream.synchronize();
    steps.push_back({.device_seconds = end->seconds_since(*begin), .activities = profiler.collect()});
  }
  return steps;
}

ProfiledGraphs graphs_of(const execution::Executor& executor) {
  const execution::StepCounts counts = executor.counts();
  ProfiledGraphs graphs{.all = counts.graphs.eager_ops == 0 && counts.graphs.pieces > 0};
  if (executor.graphs().empty()) return graphs;
  std::vector<std::int64_t>& copies = graphs.copies.emplace();
  for (const facts::DescribedPiece& piece : executor.describe()) {
    for (const facts::DescribedNode& node : piece.nodes) {
      if (node.type == "memcpy") copies.push_back(std::stoll(node.facts.at("bytes")));
    }
  }
  return graphs;
}

model::Profile profile_of(TaskRun& run, BatchRun& batch, const StepList& steps, ActivityProfiler& profiler) {
  model::Profile profile = summarize_profile(steps);
  const std::optional<model::Summary>& unrecorded = batch.result.launches.back().device_seconds;
  if (unrecorded && unrecorded->p50 > 0) profile.slowdown = profile.device_seconds / unrecorded->p50;
  execution::Executor& eager = batch.executor->eager();
  if (eager.restores()) eager.restore();
  Rig& rig = run.placement->rig();
  rig.stream().synchronize();
  static_cast<void>(profiler.collect());
  KernelOps modules;
  std::string module;
  const auto enter = [&](std::string next) {
    modules.add(module, profiler.collect());
    module = std::move(next);
  };
  rig.of_step()->opened(batch.size, run.task.mode).run_by_modules(enter);
  rig.stream().synchronize();
  enter("");
  modules.name(profile.top);
  return profile;
}

void record_batch(TaskRun& run, BatchRun& batch, const EmptyLine& line, ActivityProfiler& profiler) {
  Device& device = run.placement->device();
  Stream& stream = run.placement->rig().stream();
  execution::Executor& executor = *batch.executor;
  const StepList eager = record(executor.eager(), device, stream, profiler);
  const bool is_eager = &executor.eager() == &executor;
  ProfiledGraphs graphs = graphs_of(executor);
  graphs.all_but_copies = model::is_step_mode(run.task.mode) && batch.result.capture_skips.empty();
  const StepList steps = is_eager ? eager : record(executor, device, stream, profiler);
  model::StepRecords& records =
      batch.result.records.emplace(summarize_records(steps, eager, is_eager ? ProfiledGraphs{} : graphs));
  if (run.task.settings.instruments.profile) batch.result.profile = profile_of(run, batch, steps, profiler);
  // A step that runs nothing on the device has no graph to predict.
  records.graph_seconds = eager.back().activities.empty() ? 0 : graph_seconds(line, eager);
}

}  // namespace

void record_steps(TaskRun& run) {
  Device& device = run.placement->device();
  Stream& stream = run.placement->rig().stream();
  const char* const none =
      device.info().kind == "host" ? "the host device does not see the kernels of a step that a library runs"
      // Its recorded time would predict a wrong gain.
      : !run.rank.alone() ? "with --ranks the kernel of a collective waits for other ranks"
                          : nullptr;
  if (none != nullptr) {
    if (run.task.settings.instruments.profile)
      run.tell({.profiler = model::InstrumentState{.available = false, .detail = none}});
    return;
  }
  tell_profiler(run, [&](std::int64_t& at) -> model::InstrumentState {
    EmptyLine line = measure_line(device, stream);
    const ProfilerResult made = device.make_profiler();
    if (made.profiler == nullptr) return {.available = false, .detail = made.detail};
    line.busy = busy_seconds(EmptyGraph(device, stream, empty_kernels[1]), stream, *made.profiler) /
                static_cast<double>(empty_kernels[1]);
    for (BatchRun& batch : run.batches) {
      if (!batch.executor) continue;
      at = batch.size;
      run.tell_phase(at, "records");
      record_batch(run, batch, line, *made.profiler);
    }
    return {.available = true, .detail = made.detail};
  });
}

}  // namespace graphbench::measure
