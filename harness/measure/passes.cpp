// Divides a cell's time among its passes and runs them.
#include "harness/measure/passes.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "harness/measure/median_interval.hpp"
#include "harness/measure/steady.hpp"
#include "harness/measure/summary.hpp"

namespace graphbench::measure {
namespace {

using Clock = std::chrono::steady_clock;

// How a cell's time is shared out: latency carries the verdicts, so it gets half.
constexpr double latency_share = 0.5;
constexpr double device_share = 0.3;
constexpr double throughput_share = 0.2;

// What the passes of one cell share.
struct CellUnderTest {
  const std::string& cell_id;
  const StepUnderTest& step;
  Device& device;
  const model::SamplingBounds& bounds;
  model::Launch& launch;
};

PassBounds share_of(const model::SamplingBounds& bounds, double share) {
  PassBounds pass;
  pass.seconds_max = bounds.seconds_max * share;
  pass.samples_max = bounds.samples_max;
  pass.samples_min = std::min(pass.samples_min, pass.samples_max);
  pass.samples_wanted = std::min(samples_for_p99, pass.samples_max);
  return pass;
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

double precision_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  return relative_half_width(samples);
}

// Runs rounds of `loop` until a bound ends the pass; `precision` gives the half width so far. The time
// counted is wall time, not the measured spans, because the bound is on how long the user waits.
std::string run_pass(const std::string& name, const PassBounds& bounds,
                     const std::function<void(benchmark::State&)>& loop,
                     const std::function<double()>& precision) {
  const auto start = Clock::now();
  PassState state{.samples = 0, .seconds = 0, .relative_half_width = std::numeric_limits<double>::infinity()};
  for (;;) {
    if (const std::optional<StoppedBy> bound = stop_of(bounds, state)) return std::string(name_of(*bound));
    const std::int64_t round = next_round(bounds, state);
    run_round(name, round, loop);
    state.samples += round;
    state.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    state.relative_half_width = precision();
  }
}

void append_latencies(model::Launch& launch, const SampleBuffer& submit_ns, const SampleBuffer& latency_ns) {
  append(launch.submit_samples, submit_ns.seconds());
  append(launch.latency_samples, latency_ns.seconds());
  append(launch.latency_started_ns, latency_ns.started_ns());
}

void latency_pass(const CellUnderTest& cell) {
  PassBounds bounds = share_of(cell.bounds, latency_share);
  const auto ramped = static_cast<std::int64_t>(cell.launch.latency_samples.size());
  bounds.samples_max -= ramped;
  bounds.samples_min = std::min(bounds.samples_min, bounds.samples_max);
  bounds.samples_wanted = std::min(bounds.samples_wanted, bounds.samples_max);
  SampleBuffer submit_ns(static_cast<std::size_t>(bounds.samples_max));
  SampleBuffer latency_ns(static_cast<std::size_t>(bounds.samples_max));
  cell.launch.latency_stopped_by = run_pass(
      cell.cell_id + "/latency", bounds,
      [&](benchmark::State& state) { latency_loop<Clock>(state, cell.step, submit_ns, latency_ns); },
      [&] { return precision_of(latency_ns.seconds()); });
  append_latencies(cell.launch, submit_ns, latency_ns);
}

void device_pass(const CellUnderTest& cell) {
  const PassBounds bounds = share_of(cell.bounds, device_share);
  const std::unique_ptr<Event> begin = cell.device.make_event();
  const std::unique_ptr<Event> end = cell.device.make_event();
  SampleBuffer device_ns(static_cast<std::size_t>(bounds.samples_max));
  cell.launch.device_stopped_by = run_pass(
      cell.cell_id + "/device", bounds,
      [&](benchmark::State& state) { device_loop<Clock>(state, cell.step, *begin, *end, device_ns); },
      [&] { return precision_of(device_ns.seconds()); });
  append(cell.launch.device_samples, device_ns.seconds());
  append(cell.launch.device_started_ns, device_ns.started_ns());
}

// The best of the rounds would be a lucky one, the first has the pipeline to fill: the steps of all
// rounds over the time of all rounds.
void throughput_pass(const CellUnderTest& cell) {
  std::int64_t steps = 0;
  std::int64_t elapsed_ns = 0;
  std::vector<double> seconds_a_step;
  cell.launch.throughput_stopped_by = run_pass(
      cell.cell_id + "/throughput", share_of(cell.bounds, throughput_share),
      [&](benchmark::State& state) {
        const std::int64_t round_ns = throughput_loop<Clock>(state, cell.step);
        const auto round_steps = static_cast<std::int64_t>(state.max_iterations);
        if (round_steps == 1) return;  // one step is a latency, not a throughput
        steps += round_steps;
        elapsed_ns += round_ns;
        seconds_a_step.push_back(static_cast<double>(round_ns) * 1e-9 / static_cast<double>(round_steps));
      },
      [&] { return precision_of(seconds_a_step); });
  if (steps > 0 && elapsed_ns > 0) {
    cell.launch.throughput_steps_per_second =
        static_cast<double>(steps) / (static_cast<double>(elapsed_ns) * 1e-9);
  }
}

}  // namespace

void measure_ramp(const std::string& cell_id, const StepUnderTest& step, const model::SamplingBounds& bounds,
                  model::Launch& launch) {
  // A sample is left for the latency pass, whose median needs one that is not of the ramp.
  const std::int64_t steps = std::clamp<std::int64_t>(bounds.samples_max - 1, 1, ramp_samples);
  SampleBuffer submit_ns(static_cast<std::size_t>(steps));
  SampleBuffer latency_ns(static_cast<std::size_t>(steps));
  run_round(cell_id + "/ramp", steps,
            [&](benchmark::State& state) { latency_loop<Clock>(state, step, submit_ns, latency_ns); });
  append_latencies(launch, submit_ns, latency_ns);
  launch.setup.first_step_seconds = launch.latency_samples.front();
}

void measure_cell(const std::string& cell_id, const StepUnderTest& step, Device& device,
                  const model::SamplingBounds& bounds, std::uint64_t order_seed, model::Launch& launch) {
  const CellUnderTest cell{cell_id, step, device, bounds, launch};
  std::array passes{latency_pass, device_pass, throughput_pass};
  std::mt19937_64 generator(order_seed);
  std::ranges::shuffle(passes, generator);
  for (const auto pass : passes) pass(cell);
  launch.submit_seconds = summarize(launch.submit_samples);
  launch.latency_seconds = summarize(launch.latency_samples);
  launch.device_seconds = summarize(launch.device_samples);
}

}  // namespace graphbench::measure
