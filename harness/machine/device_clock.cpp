// Probing is the pause: it keeps one thread of the device busy.
#include "harness/machine/device_clock.hpp"

#include <algorithm>

namespace graphbench::machine {

std::optional<double> DeviceClock::settle(const Probe& probe) {
  double waited_seconds = 0;
  while (true) {
    const std::optional<double> seconds = probe();
    if (!seconds || *seconds <= 0) return std::nullopt;
    quickest_seconds_ = std::min(quickest_seconds_, *seconds);
    usual_seconds_ = std::min(usual_seconds_, *seconds);
    waited_seconds += *seconds;
    const bool is_round = *seconds <= lowered * usual_seconds_;
    if (!is_round && waited_seconds < patience_seconds) continue;
    if (!is_round) usual_seconds_ = *seconds;
    return *seconds / quickest_seconds_;
  }
}

}  // namespace graphbench::machine
