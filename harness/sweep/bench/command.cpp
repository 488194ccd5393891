// Runs graphbench bench, which runs the cells of a sweep in this process as a Google Benchmark program.
#include "harness/options/command.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "graphbench_version.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/options/option_table.hpp"
#include "harness/sweep/bench/cell_benchmarks.hpp"
#include "harness/sweep/bench/flags.hpp"
#include "harness/sweep/planning.hpp"

namespace graphbench::cli {
namespace {

// Google Benchmark, and being one process, leave no room for some of a sweep's options.
struct Refused {
  const char* option;
  const char* instead;
};

constexpr const char* publishes_nothing = "bench publishes nothing: run a sweep for metrics";
constexpr Refused refused[] = {
    {"json", "bench writes no result document: give --benchmark_out=FILE"},
    {"samples", "bench keeps no samples: run a sweep for them"},
    {"launches", "bench runs in one process: give --benchmark_repetitions=N, or run a sweep for launches"},
    {"time-per-cell", "Google Benchmark decides how long a cell runs: give --benchmark_min_time=SECONDS"},
    {"samples-max", "Google Benchmark decides how long a cell runs: give --benchmark_min_time=SECONDS"},
    {"profile", "bench records no kernels: run a sweep with --profile"},
    {"trace", "bench records no kernels: run a sweep with --trace FILE"},
    {"baseline", "bench publishes nothing: compare what --benchmark_out=FILE wrote with graphbench compare"},
    {"quiet", "what bench prints is Google Benchmark's: give --benchmark_out=FILE and redirect stdout"},
    {"on-skip", "a benchmark that cannot run says so: run a sweep with --on-skip"},
};
constexpr const char* of_sweeps_alone[] = {
    "evaluate", "shape-trace", "shape-programs", "shape-recordings", "dump-program",
    "package",  "weights",     "low-memory",     "dump-graph",       "concurrent",
    "shard",    "shard-by",    "costs"};

// Null where bench takes the option.
const char* refusal_of(const config::OptionSpec& option) {
  const auto* found =
      std::ranges::find_if(refused, [&](const Refused& r) { return r.option == option.name; });
  if (found != std::end(refused)) return found->instead;
  if (std::ranges::count(of_sweeps_alone, option.name) > 0) return "it belongs to --sweep";
  return option.group == config::OptionGroup::where ? publishes_nothing : nullptr;
}

class BenchCommand final : public Command {
 public:
  explicit BenchCommand(Options& options) : options_(options) {
    options.config_file();
    std::vector<std::string> hidden;
    for (const config::OptionSpec& option : config::sweep_options()) {
      if (refusal_of(option) != nullptr) hidden.push_back(option.name);
    }
    options.sweep_options(config::option_names(), hidden);
    options.footer("Google Benchmark's flags, among them:\n" + bench::flags_help());
  }

  void check() override {
    raw_ = options_.sweep();
    for (const config::OptionSpec& option : config::sweep_options()) {
      const char* refusal = refusal_of(option);
      const auto given = raw_.find(option.name);
      if (given != raw_.end() && refusal != nullptr) throw InputError(given->second.front().where, refusal);
    }
  }

  int run(const Invocation& invocation) override {
    const config::SweepOptions options = config::check_options(raw_);
    check_cpu(options);
    bench::take_flags(invocation.benchmark_flags);
    std::optional<CheckedPlan> checked;
    {
      // Only while children run: a benchmark run is ended by its signals.
      process::ProcessSupervisor supervisor;
      checked = make_checked_plan(options, invocation.argv, supervisor);
      refuse_step(*checked, options, "bench");
    }
    benchmark::AddCustomContext("graphbench_version", GRAPHBENCH_VERSION);
    benchmark::AddCustomContext("graphbench_commit", GRAPHBENCH_COMMIT);
    benchmark::AddCustomContext("graphbench_device", checked->catalog.facts.name);
    benchmark::AddCustomContext("graphbench_plan", checked->plan.facts.hash);
    const bench::BenchOutcome outcome = bench::CellBenchmarks(checked->plan).run();
    if (outcome.matched == 0) {
      throw InputError("--benchmark_filter",
                       outcome.why_none.empty() ? "no cell is chosen" : outcome.why_none);
    }
    if (outcome.failed == 0) return exit_done;
    complain("%lld cells failed; each says why", static_cast<long long>(outcome.failed));
    return exit_cells_failed;
  }

 private:
  const Options& options_;
  config::RawOptions raw_;
};

}  // namespace

std::unique_ptr<Command> make_bench(Options& options) {
  return std::make_unique<BenchCommand>(options);
}

}  // namespace graphbench::cli
