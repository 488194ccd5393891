// Decides what counts as throttling, and waits for the device's clock.
#include "harness/measure/machine/device_state.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "graphs/base/text.hpp"

namespace graphbench::measure {
namespace {

// A clock that an administrator or another GPU sets is no throttling.
constexpr std::array<std::string_view, 3> steady_reasons = {"applications_clocks_setting", "sync_boost",
                                                            "display_clock_setting"};

}  // namespace

bool is_throttled(const facts::DeviceReading& reading) {
  return std::ranges::any_of(reading.throttle,
                             [](const std::string& reason) { return !contains(steady_reasons, reason); });
}

void add_later_reading(model::LaunchMachine& machine, std::optional<facts::DeviceReading> reading,
                       bool lowered) {
  if (!reading) return;
  machine.throttled = machine.throttled || (lowered && is_throttled(*reading));
  if (machine.after) {  // the reasons of earlier visits stay
    for (const std::string& reason : machine.after->throttle) {
      if (!contains(reading->throttle, reason)) reading->throttle.push_back(reason);
    }
  }
  machine.after = std::move(reading);
}

std::optional<double> DeviceClock::probed(const Probe& probe) {
  std::optional<double> seconds = probe();
  if (!seconds || *seconds <= 0) return std::nullopt;
  // A new record must be confirmed.
  if (*seconds < record_factor * quickest_seconds_) seconds = std::max(*seconds, probe().value_or(0));
  quickest_seconds_ = std::min(quickest_seconds_, *seconds);
  return seconds;
}

std::optional<double> DeviceClock::slowdown(const Probe& probe) {
  const std::optional<double> seconds = probed(probe);
  if (!seconds) return std::nullopt;
  return *seconds / quickest_seconds_;
}

// Waits by probing: a probe keeps only one thread of the device busy, so the clock can recover meanwhile.
void DeviceClock::settle(const Probe& probe) {
  double waited_seconds = 0;
  while (true) {
    const std::optional<double> seconds = probed(probe);
    if (!seconds) return;
    usual_seconds_ = std::min(usual_seconds_, *seconds);
    waited_seconds += *seconds;
    if (*seconds <= lowered_factor * usual_seconds_) return;
    if (waited_seconds >= patience_seconds) {
      usual_seconds_ = *seconds;
      return;
    }
  }
}

}  // namespace graphbench::measure
