// Runs the stages of a task in order. A failed stage ends its batch and, for some errors, later batches.
#include "harness/measure/worker/task_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "graphs/base/clock.hpp"
#include "graphs/base/text.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "harness/measure/worker/evaluate.hpp"
#include "harness/measure/worker/phase_times.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::measure {
namespace {

struct Stopped {};  // ends all stages; run_task() catches it

bool has_failed(const BatchRun& batch) {
  return batch.result.status == model::CellStatus::failed ||
         batch.result.status == model::CellStatus::skipped;
}

// Adds to this batch the cache's use since the last call. Batches are prepared one after the other, so no
// other batch used the cache in that time.
void take_cache_use(TaskRun& run, BatchRun& batch) {
  const std::optional<facts::CacheUse> now = run.placement->device().cache_use();
  if (!now) return;
  if (!batch.result.cache) batch.result.cache.emplace();
  model::add(*batch.result.cache, model::since(run.cache_use.value_or(facts::CacheUse{}), *now));
  run.cache_use = now;
}

// Ends all stages after a failure that could make other batches fail in this process too.
void stop_where_spoilt(TaskRun& run, BatchRun& batch, ErrorCode code) {
  if (run.placement ? run.placement->rig().survives(code) : code != ErrorCode::device_lost) return;
  const bool last = std::ranges::all_of(
      run.batches, [&](const BatchRun& each) { return each.reported || &each == &batch; });
  if (last) return;
  report(run, batch);
  // This is sent before the device is destroyed, because destroying the device may end the process.
  run.tell({.batch = batch.size, .stopped = true});
  throw Stopped();
}

void finish_batch(TaskRun& run, BatchRun& batch) {
  batch.passes->finish();
  batch.passes.reset();
  batch.result.launches.front().measured_unix_seconds = std::floor(unix_seconds_now());
  model::LaunchMachine& machine = *batch.result.launches.front().machine;
  machine.cpu_slowdown = model::median_or_absent(batch.cpu_slowdowns);
  machine.device_slowdown = model::median_or_absent(batch.device_slowdowns);
  if (!batch.loads.empty()) batch.result.launches.front().sustained = summarize_loads(batch.loads);
  if (batch.result.training)
    measure_phases(run.placement->device(), run.placement->rig().stream(), *run.program, *batch.executor,
                   *batch.result.training);
  StepReport report = run.placement->rig().step_report(batch.size);
  batch.result.library = std::move(report.library);
  if (run.program != nullptr) return;
  model::Launch& launch = batch.result.launches.front();
  launch.setup.opening = report.opening;
  launch.setup.compiled_from = report.compiled_from;
  launch.setup.compiled_pieces = std::move(report.compiled_pieces);
  launch.setups.front() = launch.setup;
  run.startup.split_opening(report.opening);
  for (const model::CaptureSkip& skip : report.skips) {
    if (batch.result.counters) ++batch.result.counters->skips[skip.reason];
    if (!contains(batch.result.capture_skips, skip)) batch.result.capture_skips.push_back(skip);
  }
}

void check_batch(TaskRun& run, BatchRun& batch) {
  const auto& records = batch.result.records;
  run.placement->rig().check(*batch.executor, batch.size, records ? &*records : nullptr, batch.result.check);
  note_caller_io(run, batch);
  batch.result.status = model::CellStatus::ok;
}

// Evaluates with the parameters that the steps of the check have left.
void evaluate(TaskRun& run, BatchRun& batch) {
  batch.result.training->evaluation =
      EvaluationStep(run.task, run.program_rig(), *run.evaluated, batch.size).measure();
  if (!batch.result.training->evaluation->identical)
    throw Error(ErrorCode::check_failed, "evaluate: outputs of the forward program differ from eager's");
}

// The first batch that reaches this stage walks the trace, whose steps have batch sizes of their own.
void walk(TaskRun& run, BatchRun& batch) {
  const TraceProgram traced = std::exchange(run.traced, {});
  std::vector<model::TraceSpan> spans;
  batch.result.shape_walk = walk_shapes(
      run.task, run.program_rig(), traced, [&] { run.tell_phase(batch.size, "shapes"); }, spans);
  if (run.task.settings.instruments.trace)
    run.tell({.trace = model::TraceProcess{.name = id_of(batch.result.cell) + " shapes", .spans = spans}});
}

// Runs only in the first launch, because later launches capture the same graphs.
void dump(TaskRun& run, BatchRun& batch) {
  TaskRig& rig = run.program_rig();
  dump_graphs(run.task.settings.caller.dump_graph, id_of(batch.result.cell), rig.mode(), rig.context(nullptr),
              batch.size);
}

bool evaluates(const TaskRun& run, const BatchRun& batch) {
  return run.evaluated != nullptr && batch.result.fallback.empty();
}

bool dumps(const TaskRun& run, const BatchRun& batch) {
  return run.program != nullptr && !run.task.settings.caller.dump_graph.empty() && run.task.launch == 0 &&
         run.is_graph_cell(batch);
}

bool walks(const TaskRun& run, const BatchRun& batch) {
  return run.traced && run.task.launch == 0 && batch.result.fallback.empty();
}

// Puts the largest error of all ranks into the check's result. This stage is separate from the check, so that
// it runs only if the check failed on no rank.
void combine_ranks(TaskRun& run, BatchRun& batch) {
  model::Check& check = *batch.result.check;
  check.max_abs_error = run.rank.largest(check.max_abs_error);
  if (run.rank.largest(check.identical ? 0 : 1) == 0) return;
  if (check.identical) check.tolerated = "outputs of another rank differ from eager's in some bits";
  check.identical = false;
}

constexpr Stage finish_measuring{"", finish_batch};
constexpr std::array<Stage, 5> after_measuring = {{{"check", check_batch},
                                                   {"", combine_ranks},
                                                   {"evaluate", evaluate, evaluates},
                                                   {"dump", dump, dumps},
                                                   {"shapes", walk, walks}}};

void run_stages(TaskRun& run) {
  measure_batches(run);
  for (BatchRun& batch : run.batches) attempt(run, batch, finish_measuring);
  for (BatchRun& batch : run.batches) {
    if (run.program == nullptr && !has_failed(batch))
      batch.result.launches.front().startup = run.startup.startup();
  }
  if (run.program == nullptr && run.placement->rig().allocated()) record_steps(run);
  for (BatchRun& batch : run.batches) {
    for (const Stage& stage : after_measuring) attempt(run, batch, stage);
    report(run, batch);
  }
  if (!run.placement->rig().allocated()) return;
  if (run.program == nullptr) return;
  if (run.memory) measure_memory(run);
  if (run.task.settings.instruments.profile) record_profiles(run);
}

}  // namespace

std::vector<BatchRun> batches_of(const model::WorkerTask& task) {
  std::vector<BatchRun> batches;
  for (const std::int64_t size : largest_first(task.batches)) {
    BatchRun& batch = batches.emplace_back();
    batch.size = size;
    batch.result.cell = model::cell_of(task, size);
  }
  return batches;
}

bool TaskRun::is_graph_cell(const BatchRun& batch) const {
  return model::is_graph_mode(task.mode) && batch.result.fallback.empty();
}

bool TaskRun::trains() const {
  return program != nullptr && ir::is_training(*program);
}

StepUnderTest TaskRun::step_of(const BatchRun& batch) {
  return {*batch.executor, placement->rig().stream(),
          task.settings.instruments.cold_l2 ? placement->cache() : nullptr, rank};
}

void TaskRun::tell_phase(std::int64_t batch, std::string_view phase) const {
  range.reset();
  tell({.batch = batch, .phase = std::string(phase)});
  // Batch 0 stands for what the whole task does, such as opening a device again.
  const std::string what = batch > 0 ? id_of(model::cell_of(task, batch)) : task.mode;
  range.emplace(what + ": " + std::string(phase));
}

void attempt(TaskRun& run, BatchRun& batch, const Stage& stage) {
  if (has_failed(batch) || !stage.applies(run, batch)) return;
  std::optional<Error> failure;
  try {
    if (!stage.name.empty()) run.tell_phase(batch.size, stage.name);
    stage.run(run, batch);
  } catch (const Error& error) {
    failure = error;
  } catch (const std::bad_alloc&) {
    failure.emplace(ErrorCode::out_of_memory, "the worker's own heap is exhausted");
  }
  run.range.reset();
  failure = run.rank.settle(failure);
  if (failure) {
    batch.result.status = status_after(*failure);
    batch.result.reason = model::reason_of(*failure);
    stop_where_spoilt(run, batch, failure->code());
  }
  take_cache_use(run, batch);
  if (!has_failed(batch)) return;
  batch.passes.reset();
  batch.executor.reset();
}

void report(TaskRun& run, BatchRun& batch) {
  if (batch.reported) return;
  batch.reported = true;
  if (batch.result.status != model::CellStatus::ok) batch.result.launches.clear();
  run.tell({.cell = batch.result});
}

void count(TaskRun& run, BatchRun& batch) {
  if (!model::is_graph_mode(run.task.mode)) return;
  if (!batch.result.counters) batch.result.counters.emplace();
  model::Counters& counters = *batch.result.counters;
  const execution::StepCounts counts = batch.executor->counts();
  const execution::IoCounts io = batch.executor->io().value_or(execution::IoCounts{});
  const auto graphs =
      counts.unseen ? counts.graphs.pieces : static_cast<std::int64_t>(batch.executor->graphs().size());
  counters.programs = 1;
  counters.pieces = counts.parts;
  counters.capturable = counts.graphs.pieces;
  counters.captured = graphs + io.recordings;
  counters.instantiated = graphs + io.instantiations;
  counters.updated = io.updates;
  counters.compilations = counts.kernels;
}

void note_caller_io(TaskRun& run, BatchRun& batch) {
  if (!batch.executor || !model::is_graph_mode(run.task.mode)) return;
  if (const std::optional<execution::IoCounts> io = batch.executor->io()) batch.result.caller_io = io->step;
}

void run_task(TaskRun& run) {
  try {
    run_stages(run);
  } catch (const Stopped&) {
  }
  run.range.reset();
}

}  // namespace graphbench::measure
