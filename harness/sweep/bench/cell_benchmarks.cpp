// One function runs every benchmark: it finds or prepares the cell, runs the sweep's own timing loop for as
// many steps as Google Benchmark asks, then the event loop, then the check.
#include "harness/sweep/bench/cell_benchmarks.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Enough for a median; a step's device time spreads little.
constexpr std::int64_t device_steps_max = 64;

// One task's executors. Made and used on the one thread that benchmarks run on.
class OpenTask {
 public:
  OpenTask(const model::WorkerTask& task, Device& device, const abi::WorkloadRegistry& registry)
      : program_(worker::build_program(registry, task)), rig_(task, device, program_) {
    if (task.instruments.cold_l2) flush_.emplace(device, rig_.stream());
    allocate(task);
  }

  // The executor of `batch`, prepared where this is the first time. Throws what preparing throws.
  execution::Executor& executor(std::int64_t batch) {
    std::unique_ptr<execution::Executor>& executor = executors_[batch];
    if (executor == nullptr) {
      if (!rig_.allocated() || batch > rig_.buffers().largest_batch()) throw *too_large_;
      model::Setup setup{};
      executor = rig_.prepare(batch, setup, [](std::string_view) {});
    }
    return *executor;
  }

  measure::StepUnderTest step(execution::Executor& executor) {
    return {executor, rig_.stream(), flush_ ? &*flush_ : nullptr};
  }
  worker::TaskRig& rig() { return rig_; }

 private:
  // As a worker does: for the largest batch that fits.
  void allocate(const model::WorkerTask& task) {
    for (const std::int64_t batch : worker::largest_first(task.batches)) {
      try {
        rig_.allocate(batch);
        return;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        if (!too_large_) too_large_ = error;
      }
    }
  }

  ir::Program program_;
  worker::TaskRig rig_;
  std::optional<measure::CacheFlush> flush_;
  std::optional<Error> too_large_;  // why the largest batches have no buffers
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> executors_;
};

// The reporter that the flags ask for. Errors that Google Benchmark prints before it runs anything are kept
// for the caller, which words them itself.
class ChosenReporter final : public benchmark::BenchmarkReporter {
 public:
  explicit ChosenReporter(std::ostream& before_context)
      : chosen_(*benchmark::CreateDefaultDisplayReporter()) {
    SetErrorStream(&before_context);
  }
  bool ReportContext(const Context& context) override { return chosen_.ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override { chosen_.ReportRuns(runs); }
  void Finalize() override { chosen_.Finalize(); }

 private:
  benchmark::BenchmarkReporter& chosen_;
};

}  // namespace

class CellBenchmarks::Implementation {
 public:
  explicit Implementation(const model::Plan& plan) {
    for (const model::WorkerTask& task : plan.tasks) tasks_.push_back(task);
    register_all(plan);
  }

  BenchOutcome run() {
    BenchOutcome outcome;
    std::ostringstream before_context;
    ChosenReporter reporter(before_context);
    outcome.matched = benchmark::RunSpecifiedBenchmarks(&reporter);
    outcome.why_none = before_context.str();
    while (outcome.why_none.ends_with('\n')) outcome.why_none.pop_back();
    open_.reset();
    outcome.failed = static_cast<std::int64_t>(failed_.size());
    return outcome;
  }

 private:
  // In the plan's own order of cells, a task's cells drawn together.
  void register_all(const model::Plan& plan) {
    std::set<const model::WorkerTask*> done;
    for (const model::Cell& cell : plan.cells) {
      const model::WorkerTask& task = *std::ranges::find_if(
          tasks_, [&](const model::WorkerTask& each) { return model::cell_of(each, cell.batch) == cell; });
      if (!done.insert(&task).second) continue;
      for (const std::int64_t batch : worker::largest_first(task.batches)) {
        benchmark::RegisterBenchmark(
            model::id_of(model::cell_of(task, batch)).c_str(),
            [this, &task, batch](benchmark::State& state) { run_cell(state, task, batch); })
            ->UseManualTime();
      }
    }
  }

  void run_cell(benchmark::State& state, const model::WorkerTask& task, std::int64_t batch) {
    try {
      OpenTask& open = open_task(task);
      execution::Executor& executor = open.executor(batch);
      measure(state, open, executor);
      std::optional<model::Check> check;
      open.rig().check(executor, batch, check);
    } catch (const Error& error) {
      const bool skipped = worker::is_skip(error.code());
      skip(
          state, task, batch, skipped,
          std::string(skipped ? "skipped: " : "") + std::string(name_of(error.code())) + ": " + error.what());
    } catch (const std::exception& error) {
      skip(state, task, batch, false, "internal: " + std::string(error.what()));
    }
  }

  void skip(benchmark::State& state, const model::WorkerTask& task, std::int64_t batch, bool skipped,
            const std::string& message) {
    state.SkipWithError(message.c_str());
    if (!skipped) failed_.insert(model::id_of(model::cell_of(task, batch)));
  }

  void measure(benchmark::State& state, OpenTask& open, execution::Executor& executor) {
    const measure::StepUnderTest step = open.step(executor);
    const auto steps = static_cast<std::size_t>(state.max_iterations);
    measure::DurationBuffer submit_ns(steps);
    measure::SampleBuffer latency_ns(steps);
    for (auto _ : state) {
      if (step.flush != nullptr) step.flush->run();
      const std::int64_t latency = measure::time_step<Clock>(step, submit_ns, latency_ns);
      state.SetIterationTime(static_cast<double>(latency) * 1e-9);
    }
    const std::unique_ptr<Event> begin = device_->make_event();
    const std::unique_ptr<Event> end = device_->make_event();
    const std::int64_t device_steps = std::min<std::int64_t>(state.max_iterations, device_steps_max);
    measure::SampleBuffer device_ns(static_cast<std::size_t>(device_steps));
    measure::device_loop<Clock>(device_steps, step, *begin, *end, device_ns);
    state.counters["submit_seconds"] = statistics::p50_of(submit_ns.seconds());
    state.counters["device_seconds"] = statistics::p50_of(device_ns.seconds());
  }

  OpenTask& open_task(const model::WorkerTask& task) {
    if (open_of_ == &task) return *open_;
    open_.reset();
    open_of_ = nullptr;
    if (device_ == nullptr) open_device_of(task);
    // The stream's threads inherit the CPUs that are not the submitting thread's.
    machine::SubmitterPin pin(task.instruments, cpus_, device_->info().kind != "host");
    pin.keep_others_off();
    open_ = std::make_unique<OpenTask>(task, *device_, registry_);
    pin.take();
    open_of_ = &task;
    return *open_;
  }

  void open_device_of(const model::WorkerTask& task) {
    cpus_ = machine::allowed_cpus();
    workloads::add_builtin(registry_);
    for (const std::string& plugin : task.plugins) registry_.load(plugin);
    device_ = graphbench::open_device(task.device);
  }

  std::vector<model::WorkerTask> tasks_;
  std::vector<int> cpus_;
  abi::WorkloadRegistry registry_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<OpenTask> open_;
  const model::WorkerTask* open_of_ = nullptr;
  std::set<std::string> failed_;
};

CellBenchmarks::CellBenchmarks(const model::Plan& plan)
    : implementation_(std::make_unique<Implementation>(plan)) {}

CellBenchmarks::~CellBenchmarks() {
  benchmark::ClearRegisteredBenchmarks();
}

BenchOutcome CellBenchmarks::run() {
  return implementation_->run();
}

}  // namespace graphbench::bench
