// Runs graphbench bench: the cells of a sweep as Google Benchmark's benchmarks, in this process.
#include "harness/options/command.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "graphbench_version.hpp"
#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "harness/options/option_table.hpp"
#include "harness/sweep/bench/flags.hpp"
#include "harness/sweep/planning.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::sweep {
namespace {

using Clock = std::chrono::steady_clock;

// 64 samples give a good median, because device times of steps vary little.
constexpr std::int64_t device_steps_max = 64;

// One task's executors. Only the thread that runs the benchmarks makes and uses them.
class OpenTask {
 public:
  OpenTask(const model::WorkerTask& task, Device& device, const abi::WorkloadRegistry& registry)
      : program_(measure::build_program(registry, task)), rig_(task, device, program_) {
    if (task.settings.instruments.cold_l2) flush_.emplace(device, rig_.stream());
    allocate(task);
  }

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
  measure::TaskRig& rig() { return rig_; }

 private:
  void allocate(const model::WorkerTask& task) {
    for (const std::int64_t batch : measure::largest_first(task.batches)) {
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
  measure::TaskRig rig_;
  std::optional<measure::CacheFlush> flush_;
  std::optional<Error> too_large_;  // why the largest batches have no buffers
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> executors_;
};

// Prints through the reporter that Google Benchmark's flags choose. Errors before the first run go to
// `before_context`, which the caller reads.
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

struct BenchOutcome {
  std::size_t matched = 0;  // benchmarks that the filter chose
  std::string why_none;     // Google Benchmark's reason if nothing matched
  std::int64_t failed = 0;  // failed cells; cells that graphs do not support are not counted
};

class CellBenchmarks {
 public:
  // Registers each cell under its id, within a task the largest batch first, as in a worker. Opens nothing.
  explicit CellBenchmarks(const model::Plan& plan) {
    for (const model::WorkerTask& task : plan.tasks) tasks_.push_back(task);
    register_all(plan);
  }

  ~CellBenchmarks() { benchmark::ClearRegisteredBenchmarks(); }
  CellBenchmarks(const CellBenchmarks&) = delete;
  CellBenchmarks& operator=(const CellBenchmarks&) = delete;

  // Lets Google Benchmark choose cells by its flags, run and print them. Prepares a cell's executor at the
  // cell's first run, checks the outputs against eager's after each timing loop, and keeps the executors of
  // one task at a time.
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
  // Registers the tasks in the order of their first cells in the plan. The cells of a task stay together.
  void register_all(const model::Plan& plan) {
    std::set<const model::WorkerTask*> done;
    for (const model::Cell& cell : plan.cells) {
      const model::WorkerTask& task = *std::ranges::find_if(
          tasks_, [&](const model::WorkerTask& each) { return model::cell_of(each, cell.batch) == cell; });
      if (!done.insert(&task).second) continue;
      for (const std::int64_t batch : measure::largest_first(task.batches)) {
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
      open.rig().check(executor, batch, nullptr, check);
    } catch (const Error& error) {
      const bool skipped = measure::is_skip(error.code());
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
      step.make_ready();
      const std::int64_t latency = measure::time_step<Clock>(step, submit_ns, latency_ns);
      state.SetIterationTime(static_cast<double>(latency) * 1e-9);
    }
    const std::unique_ptr<Event> begin = device_->make_event();
    const std::unique_ptr<Event> end = device_->make_event();
    const std::int64_t device_steps = std::min<std::int64_t>(state.max_iterations, device_steps_max);
    measure::SampleBuffer device_ns(static_cast<std::size_t>(device_steps));
    measure::device_loop<Clock>(device_steps, step, *begin, *end, device_ns);
    state.counters["submit_seconds"] = model::median(submit_ns.seconds());
    state.counters["device_seconds"] = model::median(device_ns.seconds());
  }

  OpenTask& open_task(const model::WorkerTask& task) {
    if (open_of_ == &task) return *open_;
    open_.reset();
    open_of_ = nullptr;
    if (device_ == nullptr) open_device_of(task);
    // Threads that the stream starts now may run on all CPUs but the submitting thread's.
    measure::SubmitterPin pin(task.settings.instruments, cpus_, device_->info().kind != "host");
    pin.keep_others_off();
    open_ = std::make_unique<OpenTask>(task, *device_, registry_);
    pin.take();
    open_of_ = &task;
    return *open_;
  }

  void open_device_of(const model::WorkerTask& task) {
    cpus_ = measure::allowed_cpus();
    workloads::add_builtin(registry_);
    for (const std::string& plugin : task.settings.plugins) registry_.load(plugin);
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

// Options of a sweep that Google Benchmark or a single process cannot support.
struct Refused {
  const char* option;
  const char* instead;
};

constexpr const char* publishes_nothing = "bench publishes no metrics: run a sweep instead";
constexpr Refused refused[] = {
    {"json", "bench writes no result document: give --benchmark_out=FILE"},
    {"samples", "bench stores no samples: run a sweep instead"},
    {"report", "bench writes no result document: run a sweep with --report FILE.html"},
    {"launches",
     "bench runs in one process: give --benchmark_repetitions=N, or run a sweep with --launches N"},
    {"time-per-cell", "Google Benchmark decides how long a cell runs: give --benchmark_min_time=SECONDS"},
    {"samples-max", "Google Benchmark decides how long a cell runs: give --benchmark_min_time=SECONDS"},
    {"profile", "bench records no kernels: run a sweep with --profile"},
    {"trace", "bench records no kernels: run a sweep with --trace FILE"},
    {"baseline", "bench publishes no metrics: give --benchmark_out=FILE, and FILE to graphbench compare"},
    {"quiet", "bench prints Google Benchmark's output: give --benchmark_out=FILE and redirect stdout"},
    {"on-skip", "bench can only report a benchmark that cannot run: run a sweep with --on-skip"},
};
// The reason why bench refuses the option; null if bench accepts it.
const char* refusal_of(const options::OptionSpec& option) {
  const auto* found =
      std::ranges::find_if(refused, [&](const Refused& r) { return r.option == option.name; });
  if (found != std::end(refused)) return found->instead;
  if (contains(options::options_for("bench"), option.name)) return nullptr;
  return option.group == options::OptionGroup::prometheus
             ? publishes_nothing
             : "the option belongs to --sweep: leave the option out, or run a sweep";
}

class BenchCommand final : public options::Command {
 public:
  explicit BenchCommand(options::Options& options) : options_(options) {
    options.config_file();
    std::vector<std::string> hidden;
    for (const options::OptionSpec& option : options::sweep_options()) {
      if (refusal_of(option) != nullptr) hidden.push_back(option.name);
    }
    options.sweep_options(options::option_names(), hidden);
    options.footer("Google Benchmark's flags, among them:\n" + flags_help());
  }

  void check() override {
    raw_ = options_.sweep();
    for (const options::OptionSpec& option : options::sweep_options()) {
      const char* refusal = refusal_of(option);
      const auto given = raw_.find(option.name);
      if (given != raw_.end() && refusal != nullptr) throw InputError(given->second.front().where, refusal);
    }
  }

  int run(const options::Invocation& invocation) override {
    const options::SweepOptions options = options::check_options(raw_);
    check_cpu(options);
    take_flags(invocation.benchmark_flags);
    std::optional<CheckedPlan> checked;
    {
      // This block destroys the supervisor, which catches signals, so that a signal ends the benchmarks.
      process::ProcessSupervisor supervisor;
      checked = make_checked_plan(options, invocation.argv, supervisor);
      refuse_step(*checked, options, "bench");
    }
    benchmark::AddCustomContext("graphbench_version", GRAPHBENCH_VERSION);
    benchmark::AddCustomContext("graphbench_commit", GRAPHBENCH_COMMIT);
    benchmark::AddCustomContext("graphbench_device", checked->catalog.facts.name);
    benchmark::AddCustomContext("graphbench_plan", checked->plan.facts.hash);
    const BenchOutcome outcome = CellBenchmarks(checked->plan).run();
    if (outcome.matched == 0) {
      throw InputError("--benchmark_filter",
                       outcome.why_none.empty()
                           ? "the filter chooses no cell: --benchmark_list_tests prints the cells' names"
                           : outcome.why_none);
    }
    if (outcome.failed == 0) return model::exit_done;
    complain("%lld cells failed; the output gives a reason for each", static_cast<long long>(outcome.failed));
    return model::exit_cells_failed;
  }

 private:
  const options::Options& options_;
  options::RawOptions raw_;
};

}  // namespace

std::unique_ptr<options::Command> make_bench(options::Options& options) {
  return std::make_unique<BenchCommand>(options);
}

}  // namespace graphbench::sweep
