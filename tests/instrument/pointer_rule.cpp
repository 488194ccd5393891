// graphbench_pointer_rule: measures how long a step compares its caller's pointers with the graph's (--io
// copy_if_moved, but nothing moved): the slope of its time over 1, 8 and 64 values. Exit codes: 0 measured,
// 1 something failed, 2 bad usage.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>

#include "graphs/backends/registry.hpp"
#include "harness/measure/floor/slope.hpp"
#include "tests/support/rig.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench {
namespace {

constexpr std::int64_t value_counts[] = {1, 8, 64};
constexpr int steps = 2000;
constexpr int repetitions = 15;

// A program with `values` inputs, whose only op reads the first one, so that the graph is always the same.
ir::Program program_of(std::int64_t values) {
  static const ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const ir::ValueId first = b.input("x0");
  for (std::int64_t i = 1; i < values; ++i) b.input("x" + std::to_string(i));
  return b.ending_in(b.one("relu", "y", {first}));
}

void submit_steps(benchmark::State& state, Device& device) {
  const std::unique_ptr<Stream> stream = device.make_stream();
  test::Rig rig(device, *stream, program_of(state.range(0)), 1);
  execution::CallerMemory caller(device, rig.program(), rig.buffers(),
                                 {.form = execution::IoForm::copy_if_moved, .same_percent = 100});
  execution::ExecutionContext context = rig.context();
  context.caller = &caller;
  const auto executor = test::Rig::prepare(test::ExecutionMode::whole, context, 1);
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    executor->submit();
    const auto stop = std::chrono::steady_clock::now();
    stream->synchronize();
    state.SetIterationTime(std::chrono::duration<double>(stop - start).count());
  }
  if (executor->io()->step.copies != 0) state.SkipWithError("a step copied what did not move");
}

class Medians final : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      failed = failed || run.error_occurred;
      if (run.aggregate_name == "median") nanoseconds.push_back(run.GetAdjustedRealTime());
    }
  }
  std::vector<double> nanoseconds;
  bool failed = false;
};

int run(int argc, char** argv) {
  std::string device_name = "host";
  benchmark::Initialize(&argc, argv);
  if (argc == 3 && std::string(argv[1]) == "--device") device_name = argv[2];
  if (argc != 1 && argc != 3) {
    std::fprintf(stderr, "graphbench_pointer_rule: give nothing, or --device NAME\n");
    return 2;
  }
  const std::unique_ptr<Device> device = open_device(device_name);
  auto* const registered =
      benchmark::RegisterBenchmark("submit", [&](benchmark::State& state) { submit_steps(state, *device); });
  for (const std::int64_t values : value_counts) registered->Arg(values);
  registered->UseManualTime()->Iterations(steps)->Repetitions(repetitions)->ReportAggregatesOnly();
  Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);
  if (medians.failed || medians.nanoseconds.size() != std::size(value_counts)) return 1;
  const measure::Line line =
      measure::line_of({std::begin(value_counts), std::end(value_counts)}, medians.nanoseconds);
  std::printf("%s: %.3f ns per value compared, %.1f ns without any\n", device->info().name.c_str(),
              line.slope, line.at_zero);
  return 0;
}

}  // namespace
}  // namespace graphbench

int main(int argc, char** argv) {
  try {
    return graphbench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench_pointer_rule: %s\n", error.what());
    return 1;
  }
}
