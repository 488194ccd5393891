// Runs the setups and visits of every placement, without other work between them. So the first sample of a
// batch is the first step that the process runs at that batch, except for warmups.
#include <algorithm>
#include <chrono>
#include <random>

#include "graphs/base/clock.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "harness/measure/worker/task_run.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::measure {
namespace {

// Runs a step and ignores its error: after a refused capture, a plugin's CUDA runtime reports the refusal
// once more, at its next call.
void forget_refusal(execution::Executor& executor, Stream& stream) {
  try {
    executor.submit();
    stream.synchronize();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::device_lost) throw;
  }
}

// Whether a batch is measured eagerly after this error (--on-skip eager). The other ranks of a group may be
// in the middle of the mode's step, so a group never is.
bool falls_back(const TaskRun& run, const Error& error) {
  return model::is_graph_mode(run.task.mode) && (is_skip(error.code()) || refuses_capture(error.code())) &&
         run.task.settings.caller.on_skip == "eager" && run.rank.alone();
}

std::unique_ptr<execution::Executor> prepare(TaskRun& run, BatchRun& batch, model::Setup& setup) {
  using Account = MemoryLedger::Account;
  const auto phase = [&](std::string_view name) {
    if (run.ledger) run.ledger->begin(name == "capture" ? Account::graphs : Account::code);
    run.tell_phase(batch.size, name);
  };
  Rig& rig = run.placement->rig();
  std::unique_ptr<execution::Executor> executor;
  try {
    executor = rig.prepare(batch.size, setup, phase, !batch.result.fallback.empty());
  } catch (const Error& error) {
    if (model::is_graph_mode(run.task.mode) && is_skip(error.code()))
      batch.result.counters.emplace().skips[std::string(name_of(error.code()))] = 1;
    if (!falls_back(run, error)) throw;
    if (!rig.survives(error.code())) forget_refusal(*rig.make_eager(batch.size), rig.stream());
    executor = rig.prepare(batch.size, setup, phase, true);
    batch.result.fallback = model::reference_mode().name;
    batch.result.fallback_reason = model::reason_of(error);
  }
  if (run.ledger) run.ledger->begin(Account::code);
  return executor;
}

// If a package is used: adds to the batch's result the package's facts, and the time until the end of the
// batch's first step, as if the task had no other batch.
void add_package(TaskRun& run, BatchRun& batch, const model::Setup& setup) {
  if (!run.startup.package) return;
  model::PackageUse& use = batch.result.package.emplace(*run.startup.package);
  if (const package::WeightsFile* weights = run.program_rig().weights()) {
    use.verify_seconds = weights->verify_seconds();
    use.load_seconds += weights->read_seconds() + weights->verify_seconds() + weights->upload_seconds();
    use.staging_bytes = static_cast<std::int64_t>(weights->staging_bytes());
  }
  use.first_step_seconds = run.startup.startup().weights_seconds + setup.prepare_seconds.value_or(0) +
                           setup.warmup_seconds + setup.capture_seconds + setup.instantiate_seconds +
                           setup.upload_seconds + setup.first_step_seconds;
}

// A group of ranks is set up when its slowest rank is.
void take_slowest(const Rank& rank, model::Setup& setup) {
  for (double* stage : {&*setup.prepare_seconds, &setup.warmup_seconds, &setup.capture_seconds,
                        &setup.instantiate_seconds, &setup.upload_seconds})
    *stage = rank.largest(*stage);
  if (const double longest = rank.largest(setup.break_seconds.value_or(0)); longest > 0)
    setup.break_seconds = longest;
}

// Adds to the batch's result what was prepared: graphs, paths, rewrites, and facts of training.
void add_prepared_facts(const TaskRun& run, BatchRun& batch) {
  const execution::StepCounts counts = batch.executor->counts();
  if (!counts.unseen) batch.result.graph = counts.graphs;
  batch.result.paths = paths_of(*batch.executor);
  const bool can_be_tuned = run.program != nullptr || !model::later_axis(run.task, "torch-dynamic").empty();
  if (can_be_tuned && !run.task.settings.caller.tune_sizes.empty())
    batch.result.tuned = model::is_tuned(run.task.settings.caller, batch.size);
  if (run.program != nullptr) {
    for (const std::string& line : run.program->rewrites()) {
      if (line.starts_with("pass ")) batch.result.rewrites.push_back(line);
    }
  }
  if (run.trains()) {
    batch.result.training.emplace().program = ir::training_facts(*run.program, batch.size);
    batch.result.training->program.copies_skipped = counts.gradients_in_place;
    batch.result.training->peak_bytes = counts.peak_bytes;
    if (run.is_graph_cell(batch)) {
      for (const std::string& line : ir::uncapturable_gradients(*run.program))
        batch.result.training->breaks.push_back({std::string(name_of(ErrorCode::no_gradient_capture)), line});
    }
  }
}

// Sets a batch up in the first placement, where everything that is reported once is found. The ramp times the
// first steps behind the warmups, and count() reads what these recorded and updated, so it comes after the
// ramp.
void set_up_first(TaskRun& run, BatchRun& batch) {
  model::Launch& launch = batch.result.launches.emplace_back();
  launch.index = run.task.launch;
  batch.executor = prepare(run, batch, launch.setup);
  take_slowest(run.rank, launch.setup);
  add_prepared_facts(run, batch);
  measure_ramp(run.step_of(batch), run.task.settings.sampling, launch);
  count(run, batch);
  launch.setups.push_back(launch.setup);
  run.startup.add(launch.setup);
  add_package(run, batch, launch.setup);
  batch.passes = make_cell_passes(run.task.settings.sampling,
                                  seed_for(run.task, SeedUse::passes, batch.size + run.task.launch), launch,
                                  run.placements);
}

// Sets a batch up in a later placement, with one step instead of the ramp. In a new context other batches
// measure several percent too slow or too fast until the largest batch has run once.
void set_up(TaskRun& run, BatchRun& batch) {
  model::Setup& setup = batch.result.launches.back().setups.emplace_back();
  batch.executor = prepare(run, batch, setup);
  const Stopwatch watch;
  batch.executor->submit();
  run.placement->rig().stream().synchronize();
  setup.first_step_seconds = watch.seconds();
}

constexpr Stage allocate{"",
                         [](TaskRun& run, BatchRun& batch) { run.placement->rig().allocate(batch.size); }};

// Sizes the static buffers for the largest batch that fits. A batch that does not fit fails alone.
void allocate_buffers(TaskRun& run) {
  for (BatchRun& batch : run.batches) {
    attempt(run, batch, allocate);
    if (run.placement->rig().allocated()) break;
  }
}

void set_up_placement(TaskRun& run, std::int64_t index) {
  const bool first = index == 0;
  if (!first) run.tell_phase(0, "open");
  for (BatchRun& batch : run.batches) {
    note_caller_io(run, batch);
    batch.executor.reset();
  }
  if (index % placements_on_a_device == 0) {
    run.placement.reset();
    run.placement.emplace(run.task, run.open, run.make_rig, run.pin);
    const bool is_last_device = run.placements - index <= placements_on_a_device;
    if (run.program != nullptr && is_last_device)
      run.ledger.emplace(run.placement->device(), run.program_rig());
  } else {
    run.placement->move(seed_for(run.task, SeedUse::moves, run.task.launch * run.placements + index));
    note_rest(run);
  }
  if (first) {
    run.startup.lap(&model::Startup::context_seconds);
    run.cache_use = run.placement->device().cache_use();
    const MonitorResult& made = run.placement->monitor();
    run.tell(
        {.device = run.placement->device().info(),
         .monitor = model::InstrumentState{.available = made.monitor != nullptr, .detail = made.detail}});
  }
  allocate_buffers(run);
  if (first) run.startup.lap(&model::Startup::weights_seconds);
  for (BatchRun& batch : run.batches) {
    attempt(run, batch, {"", first ? set_up_first : set_up});
    if (!batch.executor) report(run, batch);
  }
  if (first) {
    for (BatchRun& batch : run.batches) {
      if (batch.executor) batch.result.launches.back().startup = run.startup.startup();
    }
    note_peaks(run);
    auto choices = run.placement->device().library_choices();
    if (!choices.empty()) run.tell({.choices = std::move(choices)});
  }
  if (run.ledger) run.ledger->begin(MemoryLedger::Account::other);
}

void visit(TaskRun& run, BatchRun& batch) {
  const auto probe = [&] {
    return run.placement->device().clock_probe_seconds(run.placement->rig().stream());
  };
  run.clock.settle(probe);
  if (const std::optional<double> slowdown = run.pin.hold()) batch.cpu_slowdowns.push_back(*slowdown);
  std::optional<model::LaunchMachine>& machine = batch.result.launches.back().machine;
  if (!machine) machine.emplace().before = run.placement->read_monitor();
  batch.passes->visit(run.step_of(batch), run.placement->device(),
                      run.task.settings.instruments.cold_l2 ? nullptr : run.placement->cache());
  const std::optional<double> slowdown = run.clock.slowdown(probe);
  if (slowdown) batch.device_slowdowns.push_back(*slowdown);
  // The probe decides, because a monitor may still report a limit after the work that reached the limit.
  const bool lowered = slowdown.value_or(DeviceClock::lowered_factor) >= DeviceClock::lowered_factor;
  add_later_reading(*machine, run.placement->read_monitor(), lowered);
  machine->cpu = run.pin.cpu();
}

// Loads the device after the placement's visits, then waits for its clock as before a visit.
void sustain(TaskRun& run, BatchRun& batch) {
  SustainedBounds bounds;
  bounds.seconds_max = *run.task.settings.instruments.sustained_seconds;
  bounds.samples_max = run.task.settings.sampling.samples_max;
  run.pin.hold();
  batch.loads.push_back(measure_sustained(run.step_of(batch), run.placement->device(), bounds,
                                          [&] { run.tell_phase(batch.size, "sustain"); }));
  run.clock.settle(
      [&] { return run.placement->device().clock_probe_seconds(run.placement->rig().stream()); });
}

bool runs_under_load(const TaskRun& run, const BatchRun& batch) {
  return run.task.settings.instruments.sustained_seconds && batch.executor;
}

// Reports failed batches; returns false if no other batch is left. Runs before the device is discarded: if
// the device did not open again, that would become the reason of these batches.
bool report_failed(TaskRun& run) {
  bool any_left = false;
  for (BatchRun& batch : run.batches) {
    if (!batch.executor) report(run, batch);
    any_left = any_left || batch.executor != nullptr;
  }
  return any_left;
}

}  // namespace

// A sustained pass takes seconds, so only the last two placements (or the only one) have one.
constexpr std::int64_t placements_under_load = 2;

void measure_batches(TaskRun& run) {
  std::vector<BatchRun*> order;
  for (BatchRun& batch : run.batches) order.push_back(&batch);
  std::mt19937_64 generator(seed_for(run.task, SeedUse::order, run.task.launch));
  for (std::int64_t i = 0; i < run.placements; ++i) {
    set_up_placement(run, i);
    for (std::int64_t j = 0; j < visits_in_a_placement; ++j) {
      std::ranges::shuffle(order, generator);
      for (BatchRun* batch : order) attempt(run, *batch, {"measure", visit});
    }
    if (i + placements_under_load >= run.placements) {
      for (BatchRun& batch : run.batches) attempt(run, batch, {"sustain", sustain, runs_under_load});
    }
    if (!report_failed(run)) return;
    if (!run.ledger) continue;
    run.memory = run.ledger->close();
    run.ledger.reset();
  }
}

}  // namespace graphbench::measure
