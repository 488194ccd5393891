// Captures sizes as a worker does, and keeps all graphs. Reads device memory only between stages of a setup.
#include "harness/bill/bill_process.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "graphs/base/clock.hpp"
#include "harness/bill/bill_fields.hpp"
#include "harness/measure/foreign/foreign_rig.hpp"
#include "harness/measure/machine/exec_memory.hpp"
#include "harness/measure/worker/answers.hpp"
#include "harness/measure/worker/worker.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::bill {
namespace {

// Device memory at one time: the used bytes that the driver reports, and the parts that graphbench knows.
struct Reading {
  double used = 0;
  double pool = 0;
  double workspace = 0;
  double peak = 0;  // the most that the pool had since the step was opened; 0 for a program
  std::optional<double> tensors, leftover;  // parts of `pool`, as in Capture
  std::optional<double> gc_seconds;
  double own = 0;  // what a foreign step's library keeps for graphbench, which is in no account
  double hidden() const { return used - pool - workspace; }
};

class Captures {
 public:
  Captures(const BillTask& asked, measure::Rig& rig, BillAnswer& answer)
      : asked_(asked), rig_(rig), answer_(answer) {}

  void run() {
    if (asked_.cycles > 0) open_step();
    for (std::int64_t i = 0; i < asked_.cycles; ++i) cycle();
    capture_all();
    answer_.failed_at = 0;
    if (asked_.free_bytes) return;
    for (std::size_t i = 0; i < executors_.size(); ++i) time(*executors_[i], answer_.captures[i]);
    read_execs();
    if (asked_.cycles > 0) check_all();
  }

 private:
  void capture_all() {
    for (const std::string& mode : asked_.modes) {
      for (const std::int64_t size : measure::largest_first(asked_.task.batches)) capture(mode, size);
    }
  }

  // 0: what follows is about no size.
  void begin(std::int64_t size) {
    answer_.failed_at = size;
    process::send_line(
        model::write_data(BillAnswer{.status = model::CellStatus::pending, .failed_at = size}));
  }

  // A server's model stays while its graphs come and go, so a foreign step is open before the first cycle.
  void open_step() {
    measure::ForeignRig* const step = rig_.of_step();
    if (step == nullptr) return;
    for (const std::int64_t size : measure::largest_first(asked_.task.batches)) {
      begin(size);
      step->opened(size, asked_.task.mode);
      opened_ = size;
    }
    begin(0);
    rig_.drop_graphs();  // there are none; a step that cannot do it fails here
  }

  Returned returned(const Reading& before, const Reading& after) const {
    Returned of{.pool_bytes = before.pool - after.pool,
                .workspace_bytes = before.workspace - after.workspace};
    if (answer_.start.context_bytes) of.driver_bytes = before.hidden() - after.hidden();
    return of;
  }

  void cycle() {
    const Reading before = read();
    capture_all();
    const Reading captured = read();
    Cycle& made = answer_.cycles.emplace_back();
    made.captures = std::exchange(answer_.captures, {});
    begin(0);
    const Stopwatch watch;
    leaders_.clear();
    executors_.clear();
    rig_.drop_graphs();
    made.destroy_seconds = watch.seconds();
    const Reading destroyed = read();
    rig_.empty_pool();
    const Reading emptied = read();
    made.destroyed = returned(captured, destroyed);
    made.emptied = returned(destroyed, emptied);
    made.kept = returned(emptied, before);
  }

  // This runs last of all, because a check takes memory.
  void check_all() {
    Outputs& outputs = answer_.outputs;
    for (std::size_t i = 0; i < executors_.size(); ++i) {
      const std::int64_t size = answer_.captures[i].size;
      begin(size);
      executors_[i]->take_execs();
      std::optional<model::Check> check;
      try {
        rig_.check(*executors_[i], size, nullptr, check);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::check_failed) throw;
        if (outputs.differ_at == 0) {
          outputs.differ_at = size;
          outputs.message = error.what();
        }
      }
      ++outputs.checked;
      if (!check) continue;
      outputs.identical &= check->identical;
      if (check->tolerated) outputs.tolerated = *check->tolerated;
    }
    answer_.failed_at = 0;
  }

  // What a foreign step reports, once one is open.
  void read_library(Reading& reading) const {
    if (opened_ == 0) return;
    const std::map<std::string, model::LibraryFact> facts = rig_.step_report(opened_).library;
    const auto number = [&](const char* name) {
      const auto found = facts.find(name);
      return found == facts.end() ? 0 : std::stod(found->second.text);
    };
    reading.pool = number("memory_reserved");
    reading.peak = number("max_memory_reserved");
    reading.own = number("memory_of_graphbench");
    if (facts.contains("gc_seconds")) reading.gc_seconds = number("gc_seconds");
    if (!facts.contains("memory_reserved") || !facts.contains("memory_free_in_graph_pools")) return;
    reading.tensors = number("memory_allocated");
    reading.leftover = reading.pool - *reading.tensors - number("memory_free_in_graph_pools");
  }

  Reading read() {
    Device& device = rig_.device();
    device.synchronize();
    measure::TaskRig* const program = rig_.of_program();
    Reading reading;
    if (program == nullptr) {
      read_library(reading);
      reading.workspace = static_cast<double>(device.allocated_bytes());
    } else {
      reading.pool = static_cast<double>(program->graph_pool()->statistics().reserved_bytes);
      reading.workspace = static_cast<double>(device.allocated_bytes()) - reading.pool;
    }
    const std::optional<MemoryUse> use = device.memory_use();
    reading.used = use ? static_cast<double>(use->bytes) - reading.own : reading.pool + reading.workspace;
    return reading;
  }

  void capture(const std::string& mode, std::int64_t size) {
    begin(size);
    Capture made{.size = size, .mode = mode};
    const Reading before = read();
    MemoryTally& tally = rig_.device().tally();
    tally.restart_peak();
    Reading warm = before;
    const auto phase = [&](std::string_view name) {
      if (name != "capture") return;
      opened_ = size;
      warm = read();
    };
    executors_.push_back(prepare(mode, size, made.setup, phase));
    // In a bill what runs between captures is a part of capture.
    made.setup.capture_seconds += std::exchange(made.setup.break_seconds, std::nullopt).value_or(0);
    execution::Executor& executor = *executors_.back();
    if (asked_.shares_execs) join(executor, made);
    rig_.device().synchronize();
    const Stopwatch watch;
    executor.take_execs();
    executor.submit();
    rig_.stream().synchronize();
    made.setup.first_step_seconds = watch.seconds();
    const Reading after = read();
    made.nodes = executor.counts().graphs.contents.nodes;
    made.growth = {.pool_bytes = after.pool - before.pool,
                   .workspace_bytes = after.workspace - before.workspace,
                   .code_bytes = warm.hidden() - before.hidden(),
                   .exec_bytes = after.hidden() - warm.hidden()};
    made.transient_bytes = std::max({static_cast<double>(tally.peak()) - static_cast<double>(tally.total()),
                                     warm.used - after.used, after.peak - after.pool, 0.0});
    if (after.tensors) {
      made.tensor_bytes = *after.tensors - before.tensors.value_or(0);
      made.leftover_bytes = *after.leftover - before.leftover.value_or(0);
    }
    if (before.gc_seconds) made.gc_seconds = after.gc_seconds.value() - *before.gc_seconds;
    answer_.captures.push_back(made);
  }

  std::unique_ptr<execution::Executor> prepare(const std::string& mode, std::int64_t size,
                                               model::Setup& setup,
                                               const std::function<void(std::string_view)>& phase) {
    measure::TaskRig* const program = rig_.of_program();
    if (program == nullptr) return rig_.prepare(size, setup, phase);
    const Stopwatch watch;
    auto executor = program->make_executor(execution::find_mode(mode).value(), size, program->graph_pool());
    setup.prepare_seconds = watch.seconds();
    rig_.set_up(*executor, setup, phase, asked_.task.warmup);
    return executor;
  }

  void join(execution::Executor& executor, Capture& made) {
    for (execution::Executor* const leader : leaders_) {
      if (!executor.share_execs(*leader)) continue;
      made.one_exec_bytes = 0;
      return;
    }
    leaders_.push_back(&executor);
  }

  void time(execution::Executor& executor, Capture& of) {
    constexpr int replays = 5;
    std::vector<double> seconds;
    for (int i = 0; i < replays; ++i) {
      executor.take_execs();
      const Stopwatch watch;
      executor.submit();
      rig_.stream().synchronize();
      seconds.push_back(watch.seconds());
    }
    of.step_seconds = model::median(std::move(seconds));
  }

  // This runs after all readings, because the driver keeps memory that these extra execs used.
  void read_execs() {
    std::vector<measure::StepGraphs> steps;
    for (const auto& executor : executors_) steps.push_back(executor->graphs());
    const auto costs = measure::ExecMemory(rig_.device(), rig_.stream()).costs_of(steps);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      Capture& of = answer_.captures[i];
      if (!costs[i] || of.one_exec_bytes) continue;
      of.one_exec_bytes = costs[i]->bytes;
      of.exec_resolution_bytes = costs[i]->resolution_bytes;
    }
  }

  const BillTask& asked_;
  measure::Rig& rig_;
  BillAnswer& answer_;
  std::vector<std::unique_ptr<execution::Executor>> executors_;
  std::vector<execution::Executor*> leaders_;  // the executors whose execs other sizes launch
  std::int64_t opened_ = 0;                    // the last size at which a foreign step was opened
};

// Allocates the device's free memory but for `wanted` bytes. Up to one allocation granule more stays free.
Buffer allocate_beside(Device& device, double wanted) {
  const auto free = static_cast<double>(device.memory().free_bytes);
  if (free < wanted)
    throw Error(ErrorCode::out_of_memory, "leave " + std::to_string(std::llround(wanted)) +
                                              " bytes free: the device has only " +
                                              std::to_string(std::llround(free)) + " free bytes");
  const std::size_t granule = device.memory_use() ? device.allocation_granularity() : 512;
  const auto granules = static_cast<std::size_t>(free - wanted) / granule;
  return Buffer(device, granules * granule, MemoryKind::harness);
}

void capture_on_device(const BillTask& asked, const abi::LentPlugin* lent, BillAnswer& answer) {
  measure::StartupClock clock(asked.task.spawned_ns);
  measure::on_placement(
      asked.task, clock, lent, [] { process::send_line(measure::alive_line); },
      [&](measure::Placement& placement) {
        Device& device = placement.device();
        answer.device = device.info();
        Account& start = answer.start;
        if (const std::optional<MemoryUse> use = device.memory_use()) {
          start.context_bytes = static_cast<std::int64_t>(use->bytes - device.allocated_bytes());
          start.witness = use->of_process ? "process" : "device";
        }
        placement.rig().allocate(std::ranges::max(asked.task.batches));
        device.synchronize();
        clock.lap(&model::Startup::weights_seconds);
        start.static_bytes = static_cast<std::int64_t>(device.allocated_bytes());
        Buffer beside;
        if (asked.free_bytes) beside = allocate_beside(device, *asked.free_bytes);
        Captures(asked, placement.rig(), answer).run();
        for (const Capture& each : answer.captures) clock.add(each.setup);
        answer.startup = clock.startup();
        answer.choices = device.library_choices();
      });
}

}  // namespace

int bill_main(std::string_view parent, const abi::LentPlugin* lent) {
  return measure::answer_main<BillAnswer>(
      "bill", parent, [&](const std::string& request, BillAnswer& answer) {
        capture_on_device(model::read_data<BillTask>(request, "read bill task"), lent, answer);
      });
}

BillAnswer ask_bill(process::ProcessSupervisor& supervisor, const std::vector<std::string>& command,
                    BillTask task, double silent_seconds_max, const process::TickHandler& on_tick) {
  task.task.spawned_ns = steady_ns();
  return measure::ask<BillAnswer>(supervisor, "bill", {command, model::write_data(task), silent_seconds_max},
                                  on_tick);
}

}  // namespace graphbench::bill
