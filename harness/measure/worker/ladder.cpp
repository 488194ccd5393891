// The stages of a ladder, in order. Nothing else runs between them: except for warmups, the first step of a
// batch is the first that the process ever runs at that batch.
#include "harness/measure/worker/ladder.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <random>

#include "graphs/ir/training/differentiate.hpp"
#include "harness/measure/sustained.hpp"
#include "harness/measure/worker/evaluate.hpp"
#include "harness/measure/worker/graph_dump.hpp"
#include "harness/measure/worker/phase_times.hpp"
#include "harness/measure/worker/profile_pass.hpp"
#include "harness/measure/worker/walk_shapes.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/model/vocabulary.hpp"

namespace graphbench::worker {
namespace {

struct Stopped {};  // thrown through the stages; caught in run()

void fail(model::CellResult& result, ErrorCode code, const std::string& message) {
  result.status = is_skip(code) ? model::CellStatus::skipped : model::CellStatus::failed;
  result.reason = model::Reason{std::string(name_of(code)), message};
}

}  // namespace

Ladder::Ladder(const model::WorkerTask& task, OpenDevice open, const ir::Program& program,
               machine::SubmitterPin& pin, const Tell& tell, StartupClock& clock,
               const ir::Program* evaluated, TraceProgram traced)
    : task_(task),
      open_(std::move(open)),
      program_(program),
      pin_(pin),
      tell_(tell),
      startup_(clock),
      evaluated_(evaluated),
      traced_(std::move(traced)),
      placements_(model::at_first_use(task) ? 1 : measure::placements) {
  for (const std::int64_t batch : largest_first(task.batches)) {
    Rung& rung = rungs_.emplace_back();
    rung.batch = batch;
    rung.result.cell = model::cell_of(task, batch);
  }
}

Ladder::~Ladder() = default;

template <typename Stage>
void Ladder::attempt(Rung& rung, Stage&& stage) {
  if (rung.result.status == model::CellStatus::failed || rung.result.status == model::CellStatus::skipped)
    return;
  try {
    stage();
  } catch (const Error& error) {
    fail(rung.result, error.code(), error.what());
    stop_where_spoilt(rung, error.code());
  } catch (const std::bad_alloc&) {
    fail(rung.result, ErrorCode::out_of_memory, "the worker's own heap is exhausted");
  }
  take_cache_use(rung);
  if (rung.result.status == model::CellStatus::failed || rung.result.status == model::CellStatus::skipped) {
    rung.passes.reset();
    rung.executor.reset();
  }
}

// Kernels are chosen as rungs are prepared, one rung after another: what a stage of this rung had is its own.
void Ladder::take_cache_use(Rung& rung) {
  const std::optional<facts::CacheUse> now = placement_->device().cache_use();
  if (!now) return;
  if (!rung.result.cache) rung.result.cache.emplace();
  model::add(*rung.result.cache, model::since(cache_use_.value_or(facts::CacheUse{}), *now));
  cache_use_ = now;
}

// A lost context fails whatever comes next. A plugin's own CUDA runtime keeps its last error, and tells it at
// the next batch. What a check finds, and memory that does not suffice, belong to their batch alone.
void Ladder::stop_where_spoilt(Rung& rung, ErrorCode code) {
  const bool plugin =
      std::ranges::any_of(program_.ops(), [](const ir::Op& op) { return op.definition->foreign != nullptr; });
  const bool harmless = code == ErrorCode::check_failed || code == ErrorCode::undeclared_mutation ||
                        code == ErrorCode::out_of_memory || is_skip(code);
  if (code != ErrorCode::device_lost && (!plugin || harmless)) return;
  const bool last =
      std::ranges::all_of(rungs_, [&](const Rung& each) { return each.reported || &each == &rung; });
  if (last) return;
  report(rung);
  tell_({.batch = rung.batch, .stopped = true});  // ahead of the device's end, which may end the process
  throw Stopped();
}

void Ladder::tell_phase(std::int64_t batch, std::string_view phase) {
  tell_({.batch = batch, .phase = std::string(phase)});
}

// Gives up the earlier placement and sets the whole ladder up in a new one.
void Ladder::set_up_placement(std::int64_t index) {
  const bool first = index == 0;
  if (!first) tell_phase(0, "open");
  for (Rung& rung : rungs_) {
    count(rung);
    rung.executor.reset();
  }
  if (index % measure::placements_on_a_device == 0) {
    placement_.reset();
    placement_.emplace(task_, open_, program_, pin_);
    if (placements_ - index <= measure::placements_on_a_device)
      ledger_.emplace(placement_->device(), placement_->rig());
  } else {
    placement_->move(seed_for(task_, SeedUse::moves, task_.launch * placements_ + index));
    note_rest();
  }
  if (first) {
    startup_.lap(&model::Startup::context_seconds);
    cache_use_ = placement_->device().cache_use();
    tell_({.device = placement_->device().info(), .monitor = placement_->state_reader().state()});
  }
  allocate_buffers();
  if (first) startup_.lap(&model::Startup::weights_seconds);
  for (Rung& rung : rungs_) {
    attempt(rung, [&] { first ? set_up_first(rung) : set_up(rung); });
    if (!rung.executor) report(rung);
  }
  if (first) {
    note_peaks();
    auto choices = placement_->device().library_choices();
    if (!choices.empty()) tell_({.choices = std::move(choices)});
  }
  if (ledger_) ledger_->begin(MemoryLedger::Account::other);
  for (Rung& rung : rungs_) {
    if (first && rung.executor) rung.result.launches.back().startup = startup_.startup();
  }
}

// The static buffers are sized for the largest batch that fits; a batch that does not costs its own
// cell only.
void Ladder::allocate_buffers() {
  for (Rung& rung : rungs_) {
    attempt(rung, [&] { placement_->rig().allocate(rung.batch); });
    if (placement_->rig().allocated()) break;
  }
}

// The setup ends with one step, where the first placement has its ramp. Until the largest batch has run once
// in a new context, other batches measure several percent too slow or too fast, however many steps they make.
void Ladder::set_up(Rung& rung) {
  model::Setup& setup = rung.result.launches.back().setups.emplace_back();
  rung.executor = prepare(rung, setup);
  const auto start = std::chrono::steady_clock::now();
  rung.executor->submit();
  placement_->rig().stream().synchronize();
  setup.first_step_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::unique_ptr<execution::Executor> Ladder::prepare(Rung& rung, model::Setup& setup) {
  using Account = MemoryLedger::Account;
  const auto phase = [&](std::string_view name) {
    if (ledger_) ledger_->begin(name == "capture" ? Account::other : Account::code);
    tell_phase(rung.batch, name);
  };
  std::unique_ptr<execution::Executor> executor;
  try {
    executor = placement_->rig().prepare(rung.batch, setup, phase, !rung.result.fallback.empty());
  } catch (const Error& error) {
    if (!model::is_graph_mode(task_.mode) || !is_skip(error.code())) throw;
    rung.result.counters.emplace().skips[std::string(name_of(error.code()))] = 1;
    if (task_.caller.on_skip != "eager") throw;
    executor = placement_->rig().prepare(rung.batch, setup, phase, true);
    rung.result.fallback = model::reference_mode().name;
    rung.result.fallback_reason = model::Reason{std::string(name_of(error.code())), error.what()};
  }
  if (ledger_) ledger_->begin(Account::code);
  return executor;
}

bool Ladder::is_graph_cell(const Rung& rung) const {
  return model::is_graph_mode(task_.mode) && rung.result.fallback.empty();
}

// Of a placement's executor, before it is given up.
void Ladder::count(Rung& rung) {
  if (!rung.executor || !model::is_graph_mode(task_.mode)) return;
  if (!rung.result.counters) rung.result.counters.emplace();
  model::Counters& counters = *rung.result.counters;
  const execution::StepCounts counts = rung.executor->counts();
  ++counters.programs;
  counters.pieces = counts.parts;
  counters.capturable = counts.graphs.pieces;
  const auto graphs = static_cast<std::int64_t>(rung.executor->graphs().size());
  counters.captured += graphs;
  counters.instantiated += graphs;
  counters.compilations += counts.kernels;
  const std::optional<execution::IoCounts> io = rung.executor->io();
  if (!io) return;
  rung.result.caller_io = io->step;
  counters.captured += io->recordings;
  counters.instantiated += io->instantiations;
  counters.updated += io->updates;
}

void Ladder::set_up_first(Rung& rung) {
  model::Launch& launch = rung.result.launches.emplace_back();
  launch.index = task_.launch;
  rung.executor = prepare(rung, launch.setup);
  const execution::StepCounts counts = rung.executor->counts();
  rung.result.graph = counts.graphs;
  rung.result.paths = paths_of(*rung.executor);
  for (const std::string& line : program_.rewrites()) {
    if (line.starts_with("pass ")) rung.result.rewrites.push_back(line);
  }
  if (ir::is_training(program_)) {
    rung.result.training.emplace().program = ir::training_facts(program_, rung.batch);
    rung.result.training->peak_bytes = counts.peak_bytes;
    if (is_graph_cell(rung)) {
      for (const std::string& line : ir::uncapturable_gradients(program_))
        rung.result.training->breaks.push_back({std::string(name_of(ErrorCode::no_gradient_capture)), line});
    }
  }
  measure::measure_ramp(step_of(rung), task_.sampling, launch);
  launch.setups.push_back(launch.setup);
  startup_.add(launch.setup);
  add_package(rung, launch.setup);
  rung.passes = std::make_unique<measure::CellPasses>(
      task_.sampling, seed_for(task_, SeedUse::passes, rung.batch + task_.launch), launch, placements_);
}

// As if this batch were the only one: its stages follow those that all batches share.
void Ladder::add_package(Rung& rung, const model::Setup& setup) {
  if (!startup_.package) return;
  model::PackageUse& use = rung.result.package.emplace(*startup_.package);
  if (const package::WeightsFile* weights = placement_->rig().weights()) {
    use.verify_seconds = weights->verify_seconds();
    use.load_seconds += weights->read_seconds() + weights->verify_seconds() + weights->upload_seconds();
    use.staging_bytes = static_cast<std::int64_t>(weights->staging_bytes());
  }
  use.first_step_seconds = startup_.startup().weights_seconds + setup.prepare_seconds.value_or(0) +
                           setup.warmup_seconds + setup.capture_seconds + setup.instantiate_seconds +
                           setup.upload_seconds + setup.first_step_seconds;
}

measure::StepUnderTest Ladder::step_of(Rung& rung) {
  return {*rung.executor, placement_->rig().stream(),
          task_.instruments.cold_l2 ? placement_->cache() : nullptr};
}

void Ladder::visit(Rung& rung) {
  tell_phase(rung.batch, "measure");
  const auto probe = [this] { return placement_->device().clock_probe_seconds(placement_->rig().stream()); };
  clock_.settle(probe);
  if (const std::optional<double> slowdown = pin_.hold()) rung.cpu_slowdowns.push_back(*slowdown);
  std::optional<model::LaunchMachine>& machine = rung.result.launches.front().machine;
  if (!machine) machine.emplace().before = placement_->state_reader().read();
  rung.passes->visit(step_of(rung), placement_->device(),
                     task_.instruments.cold_l2 ? nullptr : placement_->cache());
  const std::optional<double> slowdown = clock_.slowdown(probe);
  if (slowdown) rung.device_slowdowns.push_back(*slowdown);
  // A monitor goes on naming a limit after the work that reached it.
  const bool lowered = slowdown.value_or(machine::DeviceClock::lowered) >= machine::DeviceClock::lowered;
  machine::add_later_reading(*machine, placement_->state_reader().read(), lowered);
  machine->cpu = pin_.cpu();
}

// To be called before the device is given up: if it did not open again, that would become the reason of these
// cells too.
bool Ladder::report_failed() {
  bool any_left = false;
  for (Rung& rung : rungs_) {
    if (!rung.executor) report(rung);
    any_left = any_left || rung.executor != nullptr;
  }
  return any_left;
}

// Each round visits every batch once, in a new random order.
void Ladder::measure() {
  std::vector<Rung*> order;
  for (Rung& rung : rungs_) order.push_back(&rung);
  std::mt19937_64 generator(seed_for(task_, SeedUse::order, task_.launch));
  for (std::int64_t i = 0; i < placements_; ++i) {
    set_up_placement(i);
    for (std::int64_t j = 0; j < measure::visits_in_a_placement; ++j) {
      std::ranges::shuffle(order, generator);
      for (Rung* rung : order) attempt(*rung, [&] { visit(*rung); });
    }
    if (!report_failed()) return;
    if (!ledger_) continue;
    memory_ = ledger_->close();
    ledger_.reset();
  }
}

// Last of a cell's passes. The next one's clock is awaited, as before a visit.
void Ladder::sustain(Rung& rung) {
  measure::SustainedBounds bounds;
  bounds.seconds_max = *task_.instruments.sustained_seconds;
  bounds.samples_max = task_.sampling.samples_max;
  pin_.hold();
  rung.result.launches.front().sustained = measure::measure_sustained(
      step_of(rung), placement_->device(), bounds, [&] { tell_phase(rung.batch, "sustain"); });
  clock_.settle([this] { return placement_->device().clock_probe_seconds(placement_->rig().stream()); });
}

void Ladder::check(Rung& rung) {
  rung.passes->finish();
  rung.passes.reset();
  model::LaunchMachine& machine = *rung.result.launches.front().machine;
  machine.cpu_slowdown = statistics::median_or_absent(rung.cpu_slowdowns);
  machine.device_slowdown = statistics::median_or_absent(rung.device_slowdowns);
  tell_phase(rung.batch, "check");
  TaskRig& rig = placement_->rig();
  if (rung.result.training)
    measure_phases(placement_->device(), rig.stream(), program_, *rung.executor, *rung.result.training);
  rig.check(*rung.executor, rung.batch, rung.result.check);
  count(rung);
  rung.result.status = model::CellStatus::ok;
}

// On the parameters that the check's steps have left.
void Ladder::evaluate(Rung& rung) {
  if (evaluated_ == nullptr || !rung.result.fallback.empty()) return;
  tell_phase(rung.batch, "evaluate");
  rung.result.training->evaluation =
      EvaluationStep(task_, placement_->rig(), *evaluated_, rung.batch).measure();
  if (!rung.result.training->evaluation->identical)
    throw Error(ErrorCode::check_failed, "evaluate: outputs of the forward program differ from eager's");
}

// Of the first launch, with the largest batch that gets here: the trace has sizes of its own.
void Ladder::walk(Rung& rung) {
  if (!traced_ || task_.launch != 0 || !rung.result.fallback.empty()) return;
  const TraceProgram traced = std::exchange(traced_, {});
  std::vector<model::TraceSpan> spans;
  rung.result.shape_walk = walk_shapes(
      task_, placement_->rig(), traced, [&] { tell_phase(rung.batch, "shapes"); }, spans);
  if (task_.instruments.trace)
    tell_({.trace = model::TraceProcess{id_of(rung.result.cell) + " shapes", spans}});
}

// Of the first launch: the others capture the same.
void Ladder::dump(Rung& rung) {
  const std::string& folder = task_.caller.dump_graph;
  if (folder.empty() || task_.launch != 0 || !is_graph_cell(rung)) return;
  TaskRig& rig = placement_->rig();
  dump_graphs(folder, id_of(rung.result.cell), rig.mode(), rig.context(nullptr), rung.batch);
}

void Ladder::report(Rung& rung) {
  if (rung.reported) return;
  rung.reported = true;
  if (rung.result.status != model::CellStatus::ok) rung.result.launches.clear();
  tell_({.cell = rung.result});
}

// Last of all: once activity has been recorded, nothing can be measured in this process any more.
void Ladder::profile() {
  ProfilePass pass{.task = task_,
                   .device = placement_->device(),
                   .stream = placement_->rig().stream(),
                   .mode = placement_->rig().mode(),
                   .program = program_,
                   .context = [this](pool::MemoryPool* pool) { return placement_->rig().context(pool); },
                   .batches = {}};
  for (const Rung& rung : rungs_) {
    if (rung.result.status != model::CellStatus::ok || !rung.result.fallback.empty()) continue;
    const std::optional<model::Summary>& device = rung.result.launches.back().device_seconds;
    pass.batches.emplace_back(rung.batch, device ? std::optional<double>(device->p50) : std::nullopt);
  }
  run_profile_pass(pass, tell_);
}

void Ladder::run() {
  try {
    run_stages();
  } catch (const Stopped&) {
  }
}

void Ladder::run_stages() {
  measure();
  for (Rung& rung : rungs_) {
    if (task_.instruments.sustained_seconds && rung.executor) attempt(rung, [&] { sustain(rung); });
  }
  for (Rung& rung : rungs_) {
    attempt(rung, [&] { check(rung); });
    attempt(rung, [&] { evaluate(rung); });
    attempt(rung, [&] { dump(rung); });
    attempt(rung, [&] { walk(rung); });
    report(rung);
  }
  if (memory_ && placement_->rig().allocated()) measure_pools();
  if (placement_->rig().allocated() && task_.instruments.profile) profile();
}

}  // namespace graphbench::worker
