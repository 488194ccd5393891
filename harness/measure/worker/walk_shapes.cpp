// Submits, times and checks the steps of --shape-trace. The checks are not timed.
#include "harness/measure/worker/walk_shapes.hpp"

#include "graphs/base/clock.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::worker {
namespace {

constexpr std::size_t pairs_max = 1000;

// Alternates between hits (look-up and replay) and replays, so that outside disturbances slow both.
void measure_hits(TraceCache& cache, const Shape& shape, Stream& stream, double seconds_max,
                  model::ShapeWalk& walk) {
  execution::Executor& executor = cache.executor(shape);
  if (&executor.eager() == &executor) return;
  std::vector<double> hits, replays;
  stream.synchronize();
  const double stop = steady_seconds() + seconds_max;
  while (hits.empty() || (hits.size() < pairs_max && steady_seconds() < stop)) {
    const std::int64_t hit_ns = measure::time_submit<SteadyClock>(stream, [&] { cache.replay(shape); });
    const std::int64_t replay_ns = measure::time_submit<SteadyClock>(stream, [&] { executor.submit(); });
    hits.push_back(static_cast<double>(hit_ns) * 1e-9);
    replays.push_back(static_cast<double>(replay_ns) * 1e-9);
  }
  walk.hit_seconds = statistics::median_or_absent(hits);
  walk.replay_seconds = statistics::median_or_absent(replays);
}

}  // namespace

model::ShapeWalk walk_shapes(const model::WorkerTask& task, TaskRig& rig, const TraceProgram& program,
                             const std::function<void()>& begin_step, std::vector<model::TraceSpan>& spans) {
  const model::ShapeTrace& trace = task.instruments.shape_trace;
  TraceCache cache(task, rig, program, trace);
  std::vector<model::TracedStep> steps;
  Shape shape;
  for (const model::ShapeStep& each : trace.steps) {
    shape = {each.batch, each.sequence.value_or(0)};
    model::TracedStep& step = steps.emplace_back();
    step.id = static_cast<std::int64_t>(steps.size());
    begin_step();
    try {
      const double start = steady_seconds();
      cache.submit(shape, step);
      rig.stream().synchronize();
      spans.push_back({"host",
                       "shape step " + std::to_string(step.id) + " (" + step.signature + ", batch " +
                           std::to_string(step.batch) + "): " + step.outcome,
                       start, steady_seconds() - start});
      cache.check(shape);
    } catch (const Error& error) {
      throw Error(error.code(), trace.file + ":" + std::to_string(each.line) + ": " + error.what());
    }
  }
  model::ShapeWalk walk = cache.facts();
  measure_hits(cache, shape, rig.stream(), task.sampling.seconds_max, walk);
  walk.traces = std::move(steps);
  rig.buffers().fill_weights(rig.stream(), seed_for(task, SeedUse::weights));
  rig.buffers().fill_state(rig.stream(), seed_for(task, SeedUse::state));
  return walk;
}

}  // namespace graphbench::worker
