// The probes themselves are the wait: they keep one thread of the device busy.
#include "harness/measure/machine/device_clock.hpp"

#include <algorithm>

namespace graphbench::machine {

std::optional<double> DeviceClock::slowdown(const Probe& probe) {
  const std::optional<double> seconds = probe();
  if (!seconds || *seconds <= 0) return std::nullopt;
  quickest_seconds_ = std::min(quickest_seconds_, *seconds);
  return *seconds / quickest_seconds_;
}

void DeviceClock::settle(const Probe& probe) {
  double waited_seconds = 0;
  while (true) {
    const std::optional<double> seconds = probe();
    if (!seconds || *seconds <= 0) return;
    quickest_seconds_ = std::min(quickest_seconds_, *seconds);
    usual_seconds_ = std::min(usual_seconds_, *seconds);
    waited_seconds += *seconds;
    const bool recovered = *seconds <= lowered * usual_seconds_;
    if (!recovered && waited_seconds < patience_seconds) continue;
    if (!recovered) usual_seconds_ = *seconds;
    return;
  }
}

}  // namespace graphbench::machine
