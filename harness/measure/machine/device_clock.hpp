// Waits before a measurement until the device's clock has recovered from being lowered for the power or the
// heat of earlier work.
#pragma once

#include <functional>
#include <limits>
#include <optional>

namespace graphbench::machine {

class DeviceClock {
 public:
  using Probe = std::function<std::optional<double>()>;  // Device::clock_probe_seconds

  // A probe that takes longer than this over the quickest one shows a lowered clock.
  static constexpr double lowered = 1.015;
  // The longest wait, as the sum of the probes' own times. With their launches it is about 50 ms, which is
  // how long a GPU at its power limit lowers its clock. Probes are not counted, because they take longer at a
  // lowered clock.
  static constexpr double patience_seconds = 0.045;

  // Probes until the clock is not lowered, for `patience_seconds` at most. A clock that stays low is not
  // waited for again until it has risen and falls once more. One probe where the device has no clock. Throws
  // what the probe throws.
  void settle(const Probe& probe);

  // One probe, right after work: its time over the quickest ever seen, 1 or more. Absent where the device has
  // no clock to probe or the probe took no time. Throws what the probe throws.
  std::optional<double> slowdown(const Probe& probe);

 private:
  double quickest_seconds_ = std::numeric_limits<double>::infinity();  // ever
  double usual_seconds_ = quickest_seconds_;  // the quickest since a wait last ended in vain
};

}  // namespace graphbench::machine
