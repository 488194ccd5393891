// The state of the device (clocks, temperature, power), read around the measuring of a cell, and a wait for
// its clock.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "graphs/device/device.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// True if something slows the device down. Clocks that an administrator set, or that follow another GPU's,
// are steady and do not count.
bool is_throttled(const facts::DeviceReading& reading);

// Makes the reading after a visit to a cell the last one. It keeps the reasons for throttling of earlier
// visits, so that a cell marked as throttled always has a reason. `lowered`: the device's clock was found
// lowered, or cannot be probed; otherwise a reason that is still named belongs to an earlier cell.
void add_later_reading(model::LaunchMachine& machine, std::optional<facts::DeviceReading> reading,
                       bool lowered);

// Reads the device's monitor. Readings are absent if it has none.
class DeviceStateReader {
 public:
  explicit DeviceStateReader(Device& device) : result_(device.make_monitor()) {}

  std::optional<facts::DeviceReading> read();
  model::InstrumentState state() const { return {result_.monitor != nullptr, result_.detail}; }

 private:
  MonitorResult result_;
};

// Waits before a measurement until the device's clock has recovered from being lowered for the power or the
// heat of earlier work.
class DeviceClock {
 public:
  using Probe = std::function<std::optional<double>()>;  // Device::clock_probe_seconds

  // A probe that takes longer than the quickest one by this factor shows a lowered clock.
  static constexpr double lowered = 1.015;
  // The longest wait, as the sum of the probes' times. With their launches it is about 50 ms, for which a GPU
  // at its power limit lowers its clock. Probes are not counted, because one takes longer at a lowered clock.
  static constexpr double patience_seconds = 0.045;

  // Probes until the clock is not lowered, for `patience_seconds` at most. It does not wait again for a clock
  // that stays low until that has risen and falls once more. It probes once where the device has no clock.
  // Throws what the probe throws.
  void settle(const Probe& probe);

  // Probes right after work. Returns the probe's time over the quickest ever seen, 1 or more; absent if the
  // device has no clock or the probe took no time. Throws what the probe throws.
  std::optional<double> slowdown(const Probe& probe);

 private:
  // A probe that is quicker than all before it by this factor is made again, and the longer of both counts.
  // Once in some ten thousand probes an H100's timer loses 6 us of 200 us: after that all would seem slow.
  static constexpr double confirmed_from = 0.995;
  std::optional<double> probed(const Probe& probe);

  double quickest_seconds_ = std::numeric_limits<double>::infinity();  // ever
  double usual_seconds_ = quickest_seconds_;  // the quickest since a wait last ended in vain
};

}  // namespace graphbench::machine
