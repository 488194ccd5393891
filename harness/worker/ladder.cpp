// Walks the ladder. Between its stages nothing runs that a stage did not ask for: the first step of a
// batch is the first step the process ever runs at that batch, warmups excepted.
#include "harness/worker/ladder.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <random>

#include "harness/model/axes.hpp"
#include "harness/worker/profile_pass.hpp"

namespace graphbench::worker {
namespace {

using execution::ExecutionMode;

void fail(model::CellResult& result, ErrorCode code, const std::string& message) {
  result.status = is_skip(code) ? model::CellStatus::skipped : model::CellStatus::failed;
  result.reason = model::Reason{std::string(name_of(code)), message};
}

model::GraphCounts to_model(const execution::GraphCounts& counts) {
  return {counts.pieces, counts.nodes, counts.captured_ops, counts.eager_ops};
}

std::optional<double> middle_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

Ladder::Ladder(const model::WorkerTask& task, OpenDevice open, const ir::Program& program,
               machine::SubmitterPin& pin, WorkerEvents& events)
    : task_(task), open_(std::move(open)), program_(program), pin_(pin), events_(events) {
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
  } catch (const std::bad_alloc&) {
    fail(rung.result, ErrorCode::out_of_memory, "the worker's own heap is exhausted");
  }
  if (rung.result.status == model::CellStatus::failed || rung.result.status == model::CellStatus::skipped) {
    rung.passes.reset();
    rung.executor.reset();
  }
}

// Sets the whole ladder up where nothing of an earlier placement is left.
void Ladder::place() {
  const bool first = !place_;
  if (!first) events_.phase(0, "open");
  for (Rung& rung : rungs_) rung.executor.reset();
  place_.reset();
  place_.emplace(task_, open_, program_, pin_);
  if (first) {
    events_.device(to_model(place_->device().info()));
    events_.instrument("monitor", place_->mood().state());
  }
  allocate_buffers();
  for (Rung& rung : rungs_) {
    attempt(rung, [&] { first ? set_up_first(rung) : set_up(rung); });
    if (!rung.executor) report(rung);
  }
}

// The static buffers are sized for the largest batch that fits; a batch that does not costs its own
// cell only.
void Ladder::allocate_buffers() {
  for (Rung& rung : rungs_) {
    attempt(rung, [&] { place_->rig().allocate(rung.batch); });
    if (place_->rig().allocated()) break;
  }
}

// With one step behind the setup, where the first placement has its ramp: until the largest batch has made a
// step in a context, other batches measure several percent slower or faster, however many steps they make.
void Ladder::set_up(Rung& rung) {
  model::Setup setup;  // the first one's is the one reported
  rung.executor = place_->rig().prepare(rung.batch, setup,
                                        [&](std::string_view phase) { events_.phase(rung.batch, phase); });
  rung.executor->submit();
  place_->rig().stream().synchronize();
}

void Ladder::set_up_first(Rung& rung) {
  model::Launch& launch = rung.result.launches.emplace_back();
  launch.index = task_.launch;
  rung.executor = place_->rig().prepare(rung.batch, launch.setup,
                                        [&](std::string_view phase) { events_.phase(rung.batch, phase); });
  rung.result.graph = to_model(rung.executor->counts());
  rung.result.paths = paths_of(*rung.executor);
  const std::string id = id_of(rung.result.cell);
  measure::measure_ramp(id, step_of(rung), task_.sampling, launch);
  rung.passes = std::make_unique<measure::CellPasses>(
      id, task_.sampling, seed_for(task_, SeedUse::passes, rung.batch + task_.launch), launch);
}

measure::StepUnderTest Ladder::step_of(Rung& rung) {
  return {*rung.executor, place_->rig().stream(), task_.instruments.cold_l2 ? place_->cache() : nullptr};
}

void Ladder::visit(Rung& rung) {
  events_.phase(rung.batch, "measure");
  const std::optional<double> device_slowdown =
      clock_.settle([&] { return place_->device().clock_probe_seconds(place_->rig().stream()); });
  if (device_slowdown) rung.device_slowdowns.push_back(*device_slowdown);
  if (const std::optional<double> slowdown = pin_.hold()) rung.cpu_slowdowns.push_back(*slowdown);
  if (!rung.machine) {
    rung.machine.emplace();
    rung.machine->before = place_->mood().read();
    rung.machine->throttled = rung.machine->before && machine::is_throttled(*rung.machine->before);
  }
  rung.passes->visit(step_of(rung), place_->device(), task_.instruments.cold_l2 ? nullptr : place_->cache());
  machine::add_later_reading(*rung.machine, place_->mood().read());
  rung.machine->cpu = pin_.cpu();
}

// Before the device is given up: where it does not open again, that would be the reason of these cells as
// well.
bool Ladder::tell_failed() {
  bool any_left = false;
  for (Rung& rung : rungs_) {
    if (!rung.executor) report(rung);
    any_left = any_left || rung.executor != nullptr;
  }
  return any_left;
}

// In every round over the ladder each batch has its turn, in an order of the round's own.
void Ladder::measure() {
  std::vector<Rung*> order;
  for (Rung& rung : rungs_) order.push_back(&rung);
  std::mt19937_64 generator(seed_for(task_, SeedUse::order, task_.launch));
  for (std::int64_t placed = 0; placed < measure::placements; ++placed) {
    place();
    for (std::int64_t i = 0; i < measure::visits_in_a_placement; ++i) {
      std::ranges::shuffle(order, generator);
      for (Rung* rung : order) attempt(*rung, [&] { visit(*rung); });
    }
    if (!tell_failed()) return;
  }
}

void Ladder::check(Rung& rung) {
  rung.passes->finish();
  rung.passes.reset();
  rung.machine->cpu_slowdown = middle_of(rung.cpu_slowdowns);
  rung.machine->device_slowdown = middle_of(rung.device_slowdowns);
  events_.phase(rung.batch, "check");
  place_->rig().check(*rung.executor, rung.batch, rung.result.check);
  rung.result.status = model::CellStatus::ok;
}

void Ladder::report(Rung& rung) {
  if (rung.reported) return;
  rung.reported = true;
  if (rung.result.status != model::CellStatus::ok) rung.result.launches.clear();
  events_.cell(rung.result);
  if (rung.result.status == model::CellStatus::ok && rung.machine) events_.machine(rung.batch, *rung.machine);
}

std::size_t Ladder::own_pool_bytes(std::int64_t batch) {
  pool::MemoryPool own(place_->device());
  const std::unique_ptr<execution::Executor> executor =
      execution::make_executor(place_->rig().mode(), place_->rig().context(&own), batch);
  executor->capture();
  return own.statistics().reserved_bytes;
}

// What the shared pool is worth, measured: the same captures once more, each into a pool of its own.
// Done last, because captures warm things up. Where that fails (a second set of kernels may not fit)
// the memory figures are absent; the cells themselves are measured and stand.
void Ladder::measure_pools() {
  TaskRig& rig = place_->rig();
  model::Memory memory;
  memory.weights_bytes = static_cast<std::int64_t>(rig.buffers().weights_bytes());
  memory.pool_bytes = static_cast<std::int64_t>(
      (rig.graph_pool() != nullptr ? *rig.graph_pool() : rig.eager_pool()).statistics().reserved_bytes);
  std::map<std::int64_t, std::int64_t> own;
  try {
    if (rig.mode() != ExecutionMode::eager) rig.eager_pool().trim();
    for (const Rung& rung : rungs_) {
      if (rung.result.status != model::CellStatus::ok || rig.mode() == ExecutionMode::eager) continue;
      events_.phase(rung.batch, "memory");
      own[rung.batch] = static_cast<std::int64_t>(own_pool_bytes(rung.batch));
      memory.pool_bytes_private += own[rung.batch];
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "memory figures of %s are absent: %s\n", task_.workload.c_str(), error.what());
    return;
  }
  for (const Rung& rung : rungs_) {
    if (rung.result.status != model::CellStatus::ok) continue;
    memory.pool_bytes_own = own[rung.batch];
    events_.memory(rung.batch, memory);
  }
}

// Last of all: from the first record on, the process is no longer one to measure in.
void Ladder::profile() {
  ProfilePass pass{.task = task_,
                   .device = place_->device(),
                   .stream = place_->rig().stream(),
                   .mode = place_->rig().mode(),
                   .context = [this](pool::MemoryPool* pool) { return place_->rig().context(pool); },
                   .batches = {}};
  for (const Rung& rung : rungs_) {
    if (rung.result.status != model::CellStatus::ok) continue;
    const std::optional<model::Summary>& device = rung.result.launches.back().device_seconds;
    pass.batches.emplace_back(rung.batch, device ? std::optional<double>(device->p50) : std::nullopt);
  }
  run_profile_pass(pass, events_);
}

void Ladder::run() {
  measure::prepare_rounds();
  measure();
  for (Rung& rung : rungs_) {
    attempt(rung, [&] { check(rung); });
    report(rung);
  }
  if (place_->rig().allocated()) measure_pools();
  if (place_->rig().allocated() && task_.instruments.profile) profile();
}

}  // namespace graphbench::worker
