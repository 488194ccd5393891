// graphbench bench: the cells of a sweep in this process, under Google Benchmark's own face.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <optional>

#include "graphbench_version.hpp"
#include "harness/bench/cell_benchmarks.hpp"
#include "harness/bench/flags.hpp"
#include "harness/cli/bench_options.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/instruments.hpp"
#include "harness/cli/planning.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::cli {
int bench_command(const Arguments& arguments) {
  refuse_sweep_only(arguments.options);
  const config::SweepOptions options = config::check_options(arguments.options);
  check_cpu(options);
  bench::take_flags(arguments.benchmark_flags);
  std::optional<CheckedPlan> checked;
  {
    // Only while children run: a benchmark run is ended by its signals.
    process::ProcessSupervisor supervisor;
    checked = make_checked_plan(options, arguments.argv, supervisor);
  }
  benchmark::AddCustomContext("graphbench_version", GRAPHBENCH_VERSION);
  benchmark::AddCustomContext("graphbench_commit", GRAPHBENCH_COMMIT);
  benchmark::AddCustomContext("graphbench_device", checked->catalog.facts.name);
  benchmark::AddCustomContext("graphbench_plan", checked->plan.facts.hash);
  const bench::BenchOutcome outcome = bench::CellBenchmarks(checked->plan).run();
  if (outcome.matched == 0) {
    throw InputError("--benchmark_filter", outcome.why_none.empty() ? "no cell is chosen" : outcome.why_none);
  }
  if (outcome.failed == 0) return exit_done;
  std::fprintf(stderr, "graphbench: %lld cells failed; each says why\n",
               static_cast<long long>(outcome.failed));
  return exit_cells_failed;
}

}  // namespace graphbench::cli
