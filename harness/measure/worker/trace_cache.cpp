// Makes the missing parts of a step, in this order: program, kernels, recording. Submits, times and checks
// the steps of --shape-trace. The checks are not timed.
#include "harness/measure/worker/trace_cache.hpp"

#include <algorithm>

#include "graphs/base/clock.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::measure {
namespace {

std::string change(const char* extent, std::int64_t from, std::int64_t to) {
  return std::string(extent) + " " + std::to_string(from) + " -> " + std::to_string(to);
}

void add_reason(std::string& reasons, const std::string& reason) {
  if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
}

// The largest batch of the trace's steps with this sequence length. Input memory has room for that batch.
std::int64_t largest_batch(const model::ShapeTrace& trace, std::int64_t sequence) {
  std::int64_t largest = 1;
  for (const model::ShapeStep& step : trace.steps) {
    if (step.sequence.value_or(0) == sequence) largest = std::max(largest, step.batch);
  }
  return largest;
}

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
    const std::int64_t hit_ns = time_submit<SteadyClock>(stream, [&] { cache.replay(shape); });
    const std::int64_t replay_ns = time_submit<SteadyClock>(stream, [&] { executor.submit(); });
    hits.push_back(static_cast<double>(hit_ns) * 1e-9);
    replays.push_back(static_cast<double>(replay_ns) * 1e-9);
  }
  walk.hit_seconds = model::median_or_absent(hits);
  walk.replay_seconds = model::median_or_absent(replays);
}

}  // namespace

TraceCache::TraceCache(const model::WorkerTask& task, TaskRig& rig, TraceProgram program,
                       const model::ShapeTrace& trace)
    : task_(task),
      rig_(rig),
      program_(std::move(program)),
      trace_(trace),
      eager_pool_(rig.device()),
      graph_pool_(rig.device()) {}

TraceCache::~TraceCache() = default;

std::string TraceCache::signature_of(const Entry& entry) {
  return entry.sequence == 0 ? "b*" : "b* s" + std::to_string(entry.sequence);
}

TraceCache::Entry* TraceCache::entry_of(std::int64_t sequence) {
  const auto found = std::ranges::find_if(
      entries_, [&](const std::unique_ptr<Entry>& entry) { return entry->sequence == sequence; });
  return found == entries_.end() ? nullptr : found->get();
}

// At the cap, drops the least recently used program. Running later steps eagerly instead would not help,
// because they need their programs too.
void TraceCache::make_room(model::TracedStep& step) {
  if (static_cast<std::int64_t>(entries_.size()) < trace_.programs_max) return;
  const auto oldest = std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry->used; });
  add_reason(step.reason, "the cap of " + std::to_string(trace_.programs_max) + " programs is reached: " +
                              signature_of(**oldest) + ", the least recently used, is dropped");
  rig_.stream().synchronize();
  erase_if(paths_, [&](const auto& path) { return path.second.entry == oldest->get(); });
  entries_.erase(oldest);
}

void TraceCache::make_room_for_path(model::TracedStep& step) {
  if (static_cast<std::int64_t>(paths_.size()) < trace_.recordings_max) return;
  const auto oldest = std::ranges::min_element(paths_, {}, [](const auto& path) { return path.second.used; });
  add_reason(step.reason, "the cap of " + std::to_string(trace_.recordings_max) +
                              " recordings is reached: batch " + std::to_string(oldest->first.batch) +
                              " of " + signature_of(*oldest->second.entry) +
                              ", the least recently used, is dropped");
  rig_.stream().synchronize();
  paths_.erase(oldest);
}

TraceCache::Entry& TraceCache::trace(const Shape& shape, model::TracedStep& step) {
  step.reason = clock_ == 0 ? "the first step" : change("sequence", last_sequence_, shape.sequence);
  make_room(step);
  const double start = steady_seconds();
  ir::Program program = program_(shape.sequence);
  step.trace_seconds = steady_seconds() - start;
  // Rounds up to a multiple of the number of micro-batches. Batches that are not a multiple fail at their
  // step.
  const std::int64_t parts = program.micro_batches();
  const std::int64_t batch = (largest_batch(trace_, shape.sequence) + parts - 1) / parts * parts;
  Entry& entry =
      *entries_.emplace_back(std::make_unique<Entry>(shape.sequence, std::move(program), batch, rig_));
  entry.buffers.fill_own(rig_.stream(), seed_for(task_, SeedUse::inputs));
  return entry;
}

// If the new path needs more memory than the pool has, frees the memory of all earlier paths first. All
// paths together would not fit. The pool may still grow if none of its gaps is large enough.
void TraceCache::record(Path& path) {
  path.generation = generation_;
  execution::Executor& executor = *path.executor;
  if (&executor.eager() == &executor) return;
  rig_.device().synchronize();
  const std::size_t held = graph_pool_.statistics().reserved_bytes;
  if (held > 0 && static_cast<std::size_t>(executor.counts().peak_bytes) > held) {
    graph_pool_.trim();
    path.generation = ++generation_;
  }
  executor.capture();
  executor.instantiate();
  executor.upload();
  rig_.stream().synchronize();
  ++recordings_;
}

void TraceCache::prepare(const Shape& shape, model::TracedStep& step) {
  if (Path* const path = find(shape)) {
    step.outcome = "recorded_again";
    step.reason =
        change("generation", path->generation, generation_) + ": a later recording uses this one's memory";
    return record(*path);
  }
  Entry* entry = entry_of(shape.sequence);
  step.outcome = entry != nullptr ? "program_hit" : "traced";
  if (entry == nullptr) entry = &trace(shape, step);
  if (step.reason.empty()) step.reason = "no kernels are kept for batch " + std::to_string(shape.batch);
  make_room_for_path(step);
  Path path{.entry = entry, .executor = nullptr};
  rig_.device().choose_for_size(model::is_tuned(task_.settings.caller, shape.batch));
  path.executor = execution::make_executor(rig_.mode(), context(*entry), shape.batch);
  for (std::int64_t i = 0; i < task_.warmup; ++i) path.executor->warm_up();
  rig_.stream().synchronize();
  record(path);
  paths_.emplace(shape, std::move(path));
}

void TraceCache::submit(const Shape& shape, model::TracedStep& step) {
  const double start = steady_seconds();
  const bool hit = replay(shape);
  if (!hit) {
    prepare(shape, step);
    replay(shape);
  }
  step.seconds = steady_seconds() - start;
  last_sequence_ = shape.sequence;
  const Path& path = *find(shape);
  if (hit) step.outcome = rig_.mode() == execution::ExecutionMode::eager ? "program_hit" : "graph_hit";
  step.signature = signature_of(*path.entry);
  step.batch = shape.batch;
  const facts::GraphCounts counts = path.executor->counts().graphs;
  step.ops = counts.captured_ops + counts.eager_ops;
}

void TraceCache::check(const Shape& shape) {
  Path& path = *find(shape);
  if (path.checked == recordings_) return;
  const execution::ExecutionContext context = this->context(*path.entry);
  std::string why;
  const model::Check check =
      check_against_eager({*path.executor, rig_.mode(), context, shape.batch,
                           seed_for(task_, SeedUse::check, shape.batch), seed_for(task_, SeedUse::weights)},
                          check_memory_, why);
  if (!check.identical) throw Error(ErrorCode::check_failed, "check: " + why);
  path.checked = recordings_;
}

model::ShapeWalk TraceCache::facts() const {
  return {.programs_max = trace_.programs_max,
          .recordings_max = trace_.recordings_max,
          .programs = static_cast<std::int64_t>(entries_.size()),
          .recordings = recordings_,
          .generations = recordings_ > 0 ? generation_ : 0,
          .pool_bytes = static_cast<std::int64_t>(graph_pool_.statistics().reserved_bytes),
          .hit_seconds = std::nullopt,
          .replay_seconds = std::nullopt,
          .traces = {}};
}

model::ShapeWalk walk_shapes(const model::WorkerTask& task, TaskRig& rig, const TraceProgram& program,
                             const std::function<void()>& begin_step, std::vector<model::TraceSpan>& spans) {
  const model::ShapeTrace& trace = task.settings.instruments.shape_trace;
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
  measure_hits(cache, shape, rig.stream(), task.settings.sampling.seconds_max, walk);
  walk.traces = std::move(steps);
  rig.buffers().fill_weights(rig.stream(), seed_for(task, SeedUse::weights));
  rig.buffers().fill_state(rig.stream(), seed_for(task, SeedUse::state));
  return walk;
}

}  // namespace graphbench::measure
