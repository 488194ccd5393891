// graphbench_instrument_cost: what our sampling adds to a submit time, in every mode, on any device: the
// same Executor::submit() timed by the sweep's loop and by the bare loop below, alternately.
//
// Exit codes: 0 measured (and within --limit), 1 over the limit or something failed, 2 bad usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "graphs/abi/plugin.hpp"
#include "graphs/device/registry.hpp"
#include "harness/machine/pinning.hpp"
#include "harness/measure/median_interval.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/worker/task_rig.hpp"
#include "workloads/builtin.hpp"

namespace graphbench {
namespace {

using Clock = std::chrono::steady_clock;

// Short, so that a machine whose mood changes within milliseconds does so on both sides alike.
constexpr std::size_t block_steps = 15;

struct Options {
  std::string device = "host";
  std::vector<std::string> workloads = {"mlp", "attention", "conv"};
  std::int64_t batch = 1;
  std::size_t blocks = 1000;
  double limit_ns = 0;  // 0: none
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// As a hand would write it: clock, submit, clock, wait.
double bare_block(execution::Executor& executor, Stream& stream) {
  std::vector<double> submit_ns(block_steps);
  for (double& sample : submit_ns) {
    const auto start = Clock::now();
    executor.submit();
    const auto stop = Clock::now();
    stream.synchronize();
    sample = std::chrono::duration<double, std::nano>(stop - start).count();
  }
  return median(submit_ns);
}

// As a sweep does: one round of Google Benchmark over latency_loop.
double sampled_block(execution::Executor& executor, Stream& stream) {
  measure::SampleBuffer submit_ns(block_steps);
  measure::SampleBuffer latency_ns(block_steps);
  measure::run_round("sampled", block_steps, [&](benchmark::State& state) {
    measure::latency_loop<Clock>(state, {executor, stream}, submit_ns, latency_ns);
  });
  std::vector<double> samples = submit_ns.seconds();
  for (double& sample : samples) sample *= 1e9;
  return median(std::move(samples));
}

struct Cost {
  double sampled_ns = 0;
  double bare_ns = 0;
  double difference_ns = 0;          // median over pairs of neighbouring blocks, so that drift cancels
  measure::MedianInterval interval;  // of that median, 95 %
};

Cost cost_of(execution::Executor& executor, Stream& stream, std::size_t blocks) {
  std::vector<double> sampled;
  std::vector<double> bare;
  std::vector<double> differences;
  for (std::size_t i = 0; i < blocks; ++i) {
    // Each goes first half of the times.
    if (i % 2 == 0) sampled.push_back(sampled_block(executor, stream));
    bare.push_back(bare_block(executor, stream));
    if (i % 2 == 1) sampled.push_back(sampled_block(executor, stream));
    differences.push_back(sampled.back() - bare.back());
  }
  const double difference = median(differences);
  std::ranges::sort(differences);
  return {median(sampled), median(bare), difference, measure::median_interval(differences).value()};
}

bool run(const Options& options) {
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  const std::unique_ptr<Device> device = open_device(options.device);
  const bool on_host = device->info().kind == "host";
  const machine::SubmitterPin pin({}, machine::allowed_cpus());
  bool all_within = true;
  std::printf("%s, batch %lld: submit as a sweep samples it, and in a bare loop\n",
              device->info().name.c_str(), static_cast<long long>(options.batch));
  std::printf("%-10s %-9s %12s %12s %14s %17s\n", "workload", "mode", "sampled_ns", "bare_ns",
              "difference_ns", "its 95 % interval");
  for (const std::string& workload : options.workloads) {
    for (const char* mode : {"eager", "whole", "piecewise"}) {
      model::WorkerTask task;
      task.workload = workload;
      task.mode = mode;
      task.preset = on_host ? "tiny" : "base";
      task.dtype = on_host ? "fp32" : "bf16";
      task.pass = "forward";
      task.warmup = 3;
      const ir::Program program = worker::build_program(registry, task);
      pin.keep_others_off();
      worker::TaskRig rig(task, *device, program);
      pin.take();
      rig.allocate(options.batch);
      model::Setup setup;
      const auto executor = rig.prepare(options.batch, setup, [](std::string_view) {});
      const Cost cost = cost_of(*executor, rig.stream(), options.blocks);
      // An eager step's submit spreads by far more than the limit: what counts is evidence of a cost.
      const bool within = options.limit_ns == 0 || cost.interval.low <= options.limit_ns;
      all_within = all_within && within;
      std::printf("%-10s %-9s %12.0f %12.0f %+14.0f %+8.0f %+8.0f%s\n", workload.c_str(), mode,
                  cost.sampled_ns, cost.bare_ns, cost.difference_ns, cost.interval.low, cost.interval.high,
                  within ? "" : "  OVER");
      std::fflush(stdout);
    }
  }
  return all_within;
}

}  // namespace
}  // namespace graphbench

int main(int argc, char** argv) {
  graphbench::Options options;
  CLI::App app("What graphbench's sampling adds to a submit time, in nanoseconds a step");
  app.add_option("--device", options.device, "host, cuda, cuda:N, auto")->capture_default_str();
  app.add_option("--workload", options.workloads, "workloads")->delimiter(',')->capture_default_str();
  app.add_option("--batch", options.batch, "batch size")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--blocks", options.blocks, "pairs of blocks of 15 steps")
      ->check(CLI::Range(10, 100'000))
      ->capture_default_str();
  app.add_option("--limit", options.limit_ns, "exit with 1 where the interval lies above so many nanoseconds")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return graphbench::run(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench_instrument_cost: %s\n", error.what());
    return 1;
  }
}
