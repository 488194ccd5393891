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
  // The probes' own time; with what launching them takes, 50 ms: a GPU at its power limit lowers its clock
  // for about that long. No number of probes: those of a lowered clock take longer.
  static constexpr double patience_seconds = 0.045;

  // Probes until the clock is not lowered, `patience_seconds` at most, and says how it then is: the last
  // probe's time over the quickest ever seen, 1 or more. A device that does not come round is not waited for
  // again, until its clock has risen and falls once more. Nothing, after one probe, where there is no clock
  // to probe, or none by which a probe takes any time. Throws what the probe throws.
  std::optional<double> settle(const Probe& probe);

 private:
  double quickest_seconds_ = std::numeric_limits<double>::infinity();  // ever
  double usual_seconds_ = quickest_seconds_;  // the quickest since it last did not come round
};

}  // namespace graphbench::machine
