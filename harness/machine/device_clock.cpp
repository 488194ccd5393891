// Probing is the pause: it keeps one thread of the device busy.
#include "harness/machine/device_clock.hpp"

#include <algorithm>

namespace graphbench::machine {

std::optional<double> DeviceClock::settle(const Probe& probe) {
  double seconds = 0;
  for (int i = 0; i < probes_max; ++i) {
    const std::optional<double> probed = probe();
    if (!probed) return std::nullopt;
    seconds = *probed;
    quickest_seconds_ = std::min(quickest_seconds_, seconds);
    if (seconds <= lowered * quickest_seconds_) return seconds / quickest_seconds_;
  }
  const double slowdown = seconds / quickest_seconds_;
  quickest_seconds_ = seconds;
  return slowdown;
}

}  // namespace graphbench::machine
