// Divides a cell's time among its passes and runs them.
#include "harness/measure/passes.hpp"

#include <algorithm>
#include <memory>

#include "harness/measure/summary.hpp"

namespace graphbench::measure {
namespace {

using Clock = std::chrono::steady_clock;

// How a cell's time is shared out: latency carries the verdicts, so it gets half.
constexpr double latency_share = 0.5;
constexpr double device_share = 0.3;
constexpr double throughput_share = 0.2;

PassBounds share_of(const model::SamplingBounds& bounds, double share) {
  PassBounds pass;
  pass.seconds_max = bounds.seconds_max * share;
  pass.samples_max = bounds.samples_max;
  pass.samples_min = std::min(pass.samples_min, pass.samples_max);
  return pass;
}

void append(std::vector<double>& to, const std::vector<double>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Runs rounds of `loop` until the pass is done. A step's time in the pass is wall time, not the
// measured span, because the bound is on how long the user waits.
void run_pass(const std::string& name, const PassBounds& bounds,
              const std::function<void(benchmark::State&)>& loop) {
  const auto start = Clock::now();
  std::int64_t taken = 0;
  for (;;) {
    const double used = std::chrono::duration<double>(Clock::now() - start).count();
    const std::int64_t round = next_round(bounds, taken, used);
    if (round == 0) return;
    run_round(name, round, loop);
    taken += round;
  }
}

void latency_pass(const std::string& cell_id, const StepUnderTest& step, const PassBounds& bounds,
                  model::Launch& launch) {
  SampleBuffer submit_ns(static_cast<std::size_t>(bounds.samples_max));
  SampleBuffer latency_ns(static_cast<std::size_t>(bounds.samples_max));
  run_pass(cell_id + "/latency", bounds,
           [&](benchmark::State& state) { latency_loop<Clock>(state, step, submit_ns, latency_ns); });
  append(launch.submit_samples, submit_ns.seconds());
  append(launch.latency_samples, latency_ns.seconds());
}

void device_pass(const std::string& cell_id, const StepUnderTest& step, Device& device,
                 const PassBounds& bounds, model::Launch& launch) {
  const std::unique_ptr<Event> begin = device.make_event();
  const std::unique_ptr<Event> end = device.make_event();
  SampleBuffer device_ns(static_cast<std::size_t>(bounds.samples_max));
  run_pass(cell_id + "/device", bounds,
           [&](benchmark::State& state) { device_loop(state, step, *begin, *end, device_ns); });
  append(launch.device_samples, device_ns.seconds());
}

// The best of the rounds would be a lucky one, the first has the pipeline to fill: the steps of all
// rounds over the time of all rounds.
void throughput_pass(const std::string& cell_id, const StepUnderTest& step, const PassBounds& bounds,
                     model::Launch& launch) {
  std::int64_t steps = 0;
  std::int64_t elapsed_ns = 0;
  run_pass(cell_id + "/throughput", bounds, [&](benchmark::State& state) {
    const std::int64_t round_ns = throughput_loop<Clock>(state, step);
    if (state.iterations() == 1) return;  // one step is a latency, not a throughput
    steps += static_cast<std::int64_t>(state.iterations());
    elapsed_ns += round_ns;
  });
  if (steps > 0 && elapsed_ns > 0) {
    launch.throughput_steps_per_second =
        static_cast<double>(steps) / (static_cast<double>(elapsed_ns) * 1e-9);
  }
}

}  // namespace

void measure_first_step(const StepUnderTest& step, model::Launch& launch) {
  SampleBuffer submit_ns(1);
  SampleBuffer latency_ns(1);
  time_step<Clock>(step, submit_ns, latency_ns);
  append(launch.submit_samples, submit_ns.seconds());
  append(launch.latency_samples, latency_ns.seconds());
  launch.setup.first_step_seconds = launch.latency_samples.back();
}

void measure_cell(const std::string& cell_id, const StepUnderTest& step, Device& device,
                  const model::SamplingBounds& bounds, model::Launch& launch) {
  latency_pass(cell_id, step, share_of(bounds, latency_share), launch);
  device_pass(cell_id, step, device, share_of(bounds, device_share), launch);
  throughput_pass(cell_id, step, share_of(bounds, throughput_share), launch);
  launch.submit_seconds = summarize(launch.submit_samples);
  launch.latency_seconds = summarize(launch.latency_samples);
  launch.device_seconds = summarize(launch.device_samples);
}

}  // namespace graphbench::measure
