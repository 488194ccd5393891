// Walks the ladder. Between its stages nothing runs that a stage did not ask for: the first step of a
// batch is the first step the process ever runs at that batch, warmups excepted.
#include "harness/worker/ladder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <new>
#include <random>

#include "graphs/ir/random_fill.hpp"
#include "harness/measure/passes.hpp"
#include "harness/worker/check.hpp"
#include "harness/worker/profile_pass.hpp"

namespace graphbench::worker {
namespace {

using execution::ExecutionMode;

// Streams of random numbers that must not repeat each other.
enum class SeedUse : std::uint64_t { weights = 1, inputs = 2, state = 3, check = 4, order = 5, passes = 6 };

std::uint64_t seed_for(const model::WorkerTask& task, SeedUse use, std::int64_t batch = 0) {
  return ir::mix64(task.seed ^ ir::mix64(static_cast<std::uint64_t>(use) * 1'000'003u +
                                         static_cast<std::uint64_t>(batch)));
}

ExecutionMode mode_of(const std::string& name) {
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise}) {
    if (execution::name_of(mode) == name) return mode;
  }
  throw Error(ErrorCode::invalid_argument, "mode \"" + name + "\": it is none of eager, whole, piecewise");
}

double seconds_of(const std::function<void()>& stage) {
  const auto start = std::chrono::steady_clock::now();
  stage();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A program that graphs cannot hold is no failure of this run: nobody can make that cell pass.
bool is_skip(ErrorCode code) {
  return code == ErrorCode::host_op || code == ErrorCode::not_capturable_op ||
         code == ErrorCode::mutated_input || code == ErrorCode::unsupported;
}

void fail(model::CellResult& result, ErrorCode code, const std::string& message) {
  result.status = is_skip(code) ? model::CellStatus::skipped : model::CellStatus::failed;
  result.reason = model::Reason{std::string(name_of(code)), message};
}

model::GraphCounts to_model(const execution::GraphCounts& counts) {
  return {counts.pieces, counts.nodes, counts.captured_ops, counts.eager_ops};
}

}  // namespace

Ladder::Ladder(const model::WorkerTask& task, Device& device, const ir::Program& program,
               WorkerEvents& events)
    : task_(task),
      device_(device),
      program_(program),
      events_(events),
      mode_(mode_of(task.mode)),
      stream_(device.make_stream()),
      eager_pool_(std::make_unique<pool::MemoryPool>(device)),
      mood_(device) {
  if (mode_ != ExecutionMode::eager) graph_pool_ = std::make_unique<pool::MemoryPool>(device);
  std::vector<std::int64_t> batches = task.batches;
  std::ranges::sort(batches, std::greater<>{});
  for (const std::int64_t batch : batches) {
    Rung& rung = rungs_.emplace_back();
    rung.batch = batch;
    rung.result.cell = {task.workload, task.preset, task.dtype, task.pass, batch, task.warmup, task.mode};
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
    rung.executor.reset();
  }
}

execution::ExecutionContext Ladder::context(pool::MemoryPool* graph_pool) {
  return {.device = device_,
          .stream = *stream_,
          .program = program_,
          .buffers = *buffers_,
          .eager_pool = *eager_pool_,
          .graph_pool = graph_pool,
          .split_kinds = task_.split_ops};
}

// The static buffers are sized for the largest batch that fits; a batch that does not costs its own
// cell only.
void Ladder::allocate_buffers() {
  for (Rung& rung : rungs_) {
    attempt(rung,
            [&] { buffers_ = std::make_unique<execution::ProgramBuffers>(device_, program_, rung.batch); });
    if (buffers_) break;
  }
  if (!buffers_) return;
  buffers_->fill_weights(*stream_, seed_for(task_, SeedUse::weights));
  buffers_->fill_inputs(*stream_, seed_for(task_, SeedUse::inputs));
  buffers_->fill_state(*stream_, seed_for(task_, SeedUse::state));
  stream_->synchronize();
}

void Ladder::set_up(Rung& rung) {
  model::Launch& launch = rung.result.launches.emplace_back();
  launch.index = task_.launch;
  events_.phase(rung.batch, "prepare");
  launch.setup.prepare_seconds = seconds_of(
      [&] { rung.executor = execution::make_executor(mode_, context(graph_pool_.get()), rung.batch); });
  execution::Executor& executor = *rung.executor;
  events_.phase(rung.batch, "warmup");
  launch.setup.warmup_seconds = seconds_of([&] {
    for (std::int64_t i = 0; i < task_.warmup; ++i) executor.warm_up();
    stream_->synchronize();
  });
  if (mode_ != ExecutionMode::eager) {
    // As serving engines do: nothing pending and no cached memory when a capture begins.
    device_.synchronize();
    eager_pool_->trim();
    events_.phase(rung.batch, "capture");
    launch.setup.capture_seconds = seconds_of([&] { executor.capture(); });
    launch.setup.instantiate_seconds = seconds_of([&] { executor.instantiate(); });
    launch.setup.upload_seconds = seconds_of([&] {
      executor.upload();
      stream_->synchronize();
    });
  }
  rung.result.graph = to_model(executor.counts());
  measure::measure_ramp(id_of(rung.result.cell), {executor, *stream_, flush_.get()}, task_.sampling, launch);
}

void Ladder::measure(Rung& rung) {
  events_.phase(rung.batch, "measure");
  model::LaunchMachine& machine = rung.machine.emplace();
  machine.cpu = cpu_;
  machine.before = mood_.read();
  measure::measure_cell(id_of(rung.result.cell), {*rung.executor, *stream_, flush_.get()}, device_,
                        task_.sampling, seed_for(task_, SeedUse::passes, rung.batch + task_.launch),
                        rung.result.launches.back());
  machine.after = mood_.read();
  machine.throttled = (machine.before && machine::is_throttled(*machine.before)) ||
                      (machine.after && machine::is_throttled(*machine.after));
}

void Ladder::check(Rung& rung) {
  events_.phase(rung.batch, "check");
  std::string why;
  rung.result.check = check_against_eager({*rung.executor, mode_, context(graph_pool_.get()), rung.batch,
                                           seed_for(task_, SeedUse::check, rung.batch)},
                                          why);
  if (!rung.result.check->identical) {
    throw Error(ErrorCode::check_failed,
                "check: " + why + ", largest difference " + std::to_string(rung.result.check->max_abs_error));
  }
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
  pool::MemoryPool own(device_);
  const std::unique_ptr<execution::Executor> executor = execution::make_executor(mode_, context(&own), batch);
  executor->capture();
  return own.statistics().reserved_bytes;
}

// What the shared pool is worth, measured: the same captures once more, each into a pool of its own.
// Done last, because captures warm things up. Where that fails (a second set of kernels may not fit)
// the memory figures are absent; the cells themselves are measured and stand.
void Ladder::measure_pools() {
  model::Memory memory;
  memory.weights_bytes = static_cast<std::int64_t>(buffers_->weights_bytes());
  memory.pool_bytes =
      static_cast<std::int64_t>((graph_pool_ ? *graph_pool_ : *eager_pool_).statistics().reserved_bytes);
  std::map<std::int64_t, std::int64_t> own;
  try {
    if (mode_ != ExecutionMode::eager) eager_pool_->trim();
    for (const Rung& rung : rungs_) {
      if (rung.result.status != model::CellStatus::ok || mode_ == ExecutionMode::eager) continue;
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
                   .device = device_,
                   .stream = *stream_,
                   .mode = mode_,
                   .context = [this](pool::MemoryPool* pool) { return context(pool); },
                   .batches = {}};
  for (const Rung& rung : rungs_) {
    if (rung.result.status == model::CellStatus::ok) pass.batches.push_back(rung.batch);
  }
  run_profile_pass(pass, events_);
}

void Ladder::run(std::optional<int> cpu) {
  cpu_ = cpu;
  events_.instrument("monitor", mood_.state());
  if (task_.instruments.cold_l2) flush_ = std::make_unique<measure::CacheFlush>(device_, *stream_);
  allocate_buffers();
  for (Rung& rung : rungs_) {
    attempt(rung, [&] { set_up(rung); });
    if (!rung.executor) report(rung);
  }
  std::vector<Rung*> order;
  for (Rung& rung : rungs_) order.push_back(&rung);
  std::mt19937_64 generator(seed_for(task_, SeedUse::order, task_.launch));
  std::ranges::shuffle(order, generator);
  for (Rung* rung : order) {
    attempt(*rung, [&] {
      measure(*rung);
      check(*rung);
    });
    report(*rung);
  }
  if (buffers_) measure_pools();
  if (buffers_ && task_.instruments.profile) profile();
}

}  // namespace graphbench::worker
