// Lets a device whose clock was lowered, for the power or the heat of what ran before, come round before
// something else is measured on it.
#pragma once

#include <functional>
#include <limits>
#include <optional>

namespace graphbench::machine {

class DeviceClock {
 public:
  using Probe = std::function<std::optional<double>()>;  // Device::clock_probe_seconds

  // What takes longer than this over the quickest probe counts as lowered.
  static constexpr double lowered = 1.015;
  // About 50 ms of probes: a GPU at its power limit lowers its clock for about that long.
  static constexpr int probes_max = 200;

  // Probes until the clock is not lowered, `probes_max` times at most, and says how it then is: the last
  // probe's time over the quickest seen, 1 or more. A device that does not come round has another clock from
  // now on, and later calls compare with that. Nothing, after one probe, where it has no clock to probe.
  // Throws what the probe throws.
  std::optional<double> settle(const Probe& probe);

 private:
  double quickest_seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace graphbench::machine
