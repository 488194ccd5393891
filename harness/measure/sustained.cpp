// Runs steps back to back. About 50 ms of queued steps keep the device busy while the monitor is read.
#include "harness/measure/sustained.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graphs/base/clock.hpp"
#include "harness/model/statistics/summary.hpp"

namespace graphbench::measure {
namespace {

constexpr double burst_seconds = 0.05;
constexpr double burst_steps_max = 1e5;

bool agree(double before, double after, double tolerance = SteadyWindows::tolerance) {
  return std::abs(after - before) <= tolerance * std::min(before, after);
}

bool agree(const SteadyWindows::Window& before, const SteadyWindows::Window& after) {
  const bool clocks = before.sm_clock_hz && after.sm_clock_hz;
  const bool powers = before.power_watts && after.power_watts;
  if (!clocks && !powers) return agree(before.step_seconds, after.step_seconds);
  return agree(before.step_seconds, after.step_seconds, SteadyWindows::step_tolerance) &&
         (!clocks || agree(*before.sm_clock_hz, *after.sm_clock_hz)) &&
         (!powers || agree(*before.power_watts, *after.power_watts));
}

// Runs bursts until the windows are steady or the time is up. Returns the time that this took, in seconds.
double load_device(const StepUnderTest& step, DeviceMonitor* monitor, const SustainedBounds& bounds,
                   const std::function<void()>& alive, SteadyWindows& windows) {
  const Stopwatch watch;
  double next_reading = 0;
  double next_alive = 0;
  std::int64_t steps = 1;
  while (!windows.steady() && watch.seconds() < bounds.seconds_max) {
    const Stopwatch burst;
    for (std::int64_t i = 0; i < steps; ++i) {
      if (step.executor.restores()) step.executor.restore();
      step.executor.submit();
    }
    facts::DeviceReading reading{};
    if (monitor != nullptr && watch.seconds() >= next_reading) {
      reading = monitor->read();
      next_reading = watch.seconds() + bounds.reading_every_seconds;
    }
    step.stream.synchronize();
    const double seconds = std::max(burst.seconds(), 1e-9);
    windows.add(seconds, static_cast<double>(steps), reading);
    const double wanted = burst_seconds / seconds * static_cast<double>(steps);
    steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(wanted, burst_steps_max)));
    if (watch.seconds() < next_alive) continue;
    alive();
    next_alive = watch.seconds() + SteadyWindows::window_seconds;
  }
  return watch.seconds();
}

void lead(const StepUnderTest& step, double seconds) {
  for (const Stopwatch watch; watch.seconds() < seconds;) {
    for (int i = 0; i < 16; ++i) {
      if (step.executor.restores()) step.executor.restore();
      step.executor.submit();
    }
    step.stream.synchronize();
  }
}

}  // namespace

void SteadyWindows::add(double seconds, double steps, const facts::DeviceReading& reading) {
  now_.seconds += seconds;
  now_.steps += steps;
  if (reading.sm_clock_hz) {
    now_.clock += *reading.sm_clock_hz;
    now_.clocks += 1;
  }
  if (reading.power_watts) {
    now_.power += *reading.power_watts;
    now_.powers += 1;
  }
  if (now_.seconds < window_seconds) return;
  const Window full = means_of(now_);
  now_ = {};
  steady_ = last_ && agree(*last_, full);
  last_ = full;
}

SteadyWindows::Window SteadyWindows::means_of(const Sums& sums) {
  Window window;
  if (sums.clocks > 0) window.sm_clock_hz = sums.clock / sums.clocks;
  if (sums.powers > 0) window.power_watts = sums.power / sums.powers;
  window.step_seconds = sums.steps > 0 ? sums.seconds / sums.steps : 0;
  return window;
}

SteadyWindows::Window SteadyWindows::window() const {
  return last_ ? *last_ : means_of(now_);
}

LoadedPlacement measure_sustained(const StepUnderTest& step, Device& device, const SustainedBounds& bounds,
                                  const std::function<void()>& alive) {
  const StepUnderTest loaded{step.executor, step.stream};
  const MonitorResult monitor = device.make_monitor();
  const auto begin = device.make_event();
  const auto end = device.make_event();
  SteadyWindows windows;
  const double seconds = load_device(loaded, monitor.monitor.get(), bounds, alive, windows);
  LoadedPlacement loaded_placement{};
  model::Sustained& sustained = loaded_placement.load;
  const SteadyWindows::Window window = windows.window();
  sustained.sm_clock_hz = window.sm_clock_hz;
  sustained.power_watts = window.power_watts;
  sustained.stopped_by = windows.steady() ? "steady" : "time";
  if (!windows.steady()) return loaded_placement;
  sustained.seconds_to_steady = seconds;
  const auto samples = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(bounds.sample_seconds / std::max(window.step_seconds, 1e-9)), 6,
      std::max<std::int64_t>(bounds.samples_max, 6));
  DurationBuffer submit_ns(static_cast<std::size_t>(samples));
  SampleBuffer latency_ns(static_cast<std::size_t>(samples));
  SampleBuffer device_ns(static_cast<std::size_t>(samples));
  lead(loaded, bounds.lead_seconds);
  latency_loop<SteadyClock>(samples, loaded, submit_ns, latency_ns);
  lead(loaded, bounds.lead_seconds);
  device_loop<SteadyClock>(samples, loaded, *begin, *end, device_ns);
  loaded_placement.latency_seconds = latency_ns.seconds();
  loaded_placement.device_seconds = device_ns.seconds();
  return loaded_placement;
}

model::Sustained summarize_loads(const std::vector<LoadedPlacement>& loaded) {
  model::Sustained all{};
  all.stopped_by = "steady";
  std::vector<std::vector<double>> latency, device;
  std::vector<double> clocks, powers;
  double longest = 0;
  for (const LoadedPlacement& each : loaded) {
    if (each.load.sm_clock_hz) clocks.push_back(*each.load.sm_clock_hz);
    if (each.load.power_watts) powers.push_back(*each.load.power_watts);
    if (each.load.stopped_by != all.stopped_by) all.stopped_by = "time";
    longest = std::max(longest, each.load.seconds_to_steady.value_or(0));
    latency.push_back(each.latency_seconds);
    device.push_back(each.device_seconds);
  }
  const auto mean = [](const std::vector<double>& values) -> std::optional<double> {
    if (values.empty()) return std::nullopt;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  all.sm_clock_hz = mean(clocks);
  all.power_watts = mean(powers);
  if (all.stopped_by != "steady") return all;
  all.seconds_to_steady = longest;
  all.latency_seconds = model::summarize_placements(latency);
  all.device_seconds = model::summarize_placements(device);
  return all;
}

}  // namespace graphbench::measure
