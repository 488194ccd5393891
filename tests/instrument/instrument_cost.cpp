// graphbench_instrument_cost: measures what our sampling adds to a submit time, in every mode, on any
// device. A sweep's timing loop times one step of each pair of successive steps, and bare code the other.
// Exit codes: 0 measured (and within --limit), 1 over the limit or something failed, 2 bad usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "harness/measure/machine/pinning.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/measure/worker/task_rig.hpp"
#include "harness/model/statistics/quantiles.hpp"
#include "workloads/builtin.hpp"

namespace graphbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double half_width_wanted_ns = 25;

struct Options {
  std::string device = "host";
  std::vector<std::string> workloads = {"mlp", "attention", "conv"};
  std::int64_t batch = 1;
  std::size_t pairs = 15000;
  double seconds_max = 20;
  double limit_ns = 0;  // 0: none
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double bare_step_ns(execution::Executor& executor, Stream& stream) {
  const auto start = Clock::now();
  executor.submit();
  const auto stop = Clock::now();
  stream.synchronize();
  return std::chrono::duration<double, std::nano>(stop - start).count();
}

struct Cost {
  double sampled_ns = 0;
  double bare_ns = 0;
  double difference_ns = 0;        // median of the pairs' differences, in which drift cancels
  model::MedianInterval interval;  // the 95 % interval of difference_ns
};

Cost cost_of(const std::vector<double>& sampled, const std::vector<double>& bare) {
  std::vector<double> differences(sampled.size());
  for (std::size_t i = 0; i < sampled.size(); ++i) differences[i] = sampled[i] - bare[i];
  const double difference = median(differences);
  std::ranges::sort(differences);
  return {median(sampled), median(bare), difference, model::median_interval(differences).value()};
}

struct Steps {
  std::vector<double> sampled_ns;
  std::vector<double> bare_ns;
};

// Takes pairs of steps, one timed as in a sweep and one with bare code, in random order. Pairs, because
// blocks of one kind differ by more than the limit: a machine's state changes within milliseconds.
void take_pairs(execution::Executor& executor, Stream& stream, std::size_t pairs, std::mt19937& coin,
                Steps& steps) {
  measure::DurationBuffer submit_ns(pairs);
  measure::SampleBuffer latency_ns(pairs);
  steps.bare_ns.reserve(steps.bare_ns.size() + pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const bool bare_first = (coin() & 1U) != 0;
    if (bare_first) steps.bare_ns.push_back(bare_step_ns(executor, stream));
    measure::time_step<Clock>({executor, stream}, submit_ns, latency_ns);
    if (!bare_first) steps.bare_ns.push_back(bare_step_ns(executor, stream));
  }
  for (const double seconds : submit_ns.seconds()) steps.sampled_ns.push_back(seconds * 1e9);
}

// Takes rounds of pairs until the half width of the interval is at most `half_width_wanted_ns`, or for
// `seconds_max`. An eager step's submit spreads far more than a graph's, so it needs more rounds.
Cost measure_cost(execution::Executor& executor, Stream& stream, measure::SubmitterPin& pin,
                  const Options& options) {
  Steps steps;
  std::mt19937 coin(1);
  const auto start = Clock::now();
  while (true) {
    pin.hold();
    take_pairs(executor, stream, options.pairs, coin, steps);
    const Cost cost = cost_of(steps.sampled_ns, steps.bare_ns);
    const bool known = cost.interval.high - cost.interval.low <= 2 * half_width_wanted_ns;
    if (known || Clock::now() - start >= std::chrono::duration<double>(options.seconds_max)) return cost;
  }
}

bool run(const Options& options) {
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  const std::unique_ptr<Device> device = open_device(options.device);
  const bool on_host = device->info().kind == "host";
  measure::SubmitterPin pin({}, measure::allowed_cpus(), !on_host);
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
      const ir::Program program = measure::build_program(registry, task);
      pin.keep_others_off();
      measure::TaskRig rig(task, *device, program);
      pin.take();
      rig.allocate(options.batch);
      model::Setup setup{};
      const auto executor = rig.prepare(options.batch, setup, [](std::string_view) {});
      const Cost cost = measure_cost(*executor, rig.stream(), pin, options);
      const bool within = options.limit_ns == 0 || cost.interval.high <= options.limit_ns;
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
  app.add_option("--pairs", options.pairs, "pairs of steps a round")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  app.add_option("--seconds-max", options.seconds_max,
                 "start no round later than this, where the interval is wider than 25 ns to each side")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--limit", options.limit_ns,
                 "exit with 1 where the interval reaches above so many nanoseconds")
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
