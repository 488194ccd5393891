// Judges the state of the device (clocks, temperature, power) around a cell's measurements, and waits until
// the device's clock has recovered.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "graphs/device/device.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::measure {

// A clock that an administrator set, or that follows another GPU's clock, does not count as throttled.
bool is_throttled(const facts::DeviceReading& reading);

// Stores the reading after a visit, with the throttling reasons of the cell's earlier visits, so that each
// throttled cell has a reason. `lowered`: a probe found a lowered clock, or the clock cannot be probed.
// Otherwise the reading's reasons belong to an earlier cell, and do not mark this cell as throttled.
void add_later_reading(model::LaunchMachine& machine, std::optional<facts::DeviceReading> reading,
                       bool lowered);

class DeviceClock {
 public:
  using Probe = std::function<std::optional<double>()>;  // Device::clock_probe_seconds

  // The clock counts as lowered if a probe takes this multiple of the quickest probe's time.
  static constexpr double lowered_factor = 1.015;
  // The longest wait, as the sum of probe times: about 50 ms with the probes' launches. A GPU at its power
  // limit lowers its clock for about as long. The limit is a time and not a number of probes, because a
  // lowered clock makes probes longer.
  static constexpr double patience_seconds = 0.045;

  // Probes until the clock has recovered, for at most `patience_seconds`. If it does not recover, its
  // present speed becomes the usual one, so that the next call does not wait again. On a device without a
  // clock, probes once. Throws the probe's exceptions.
  void settle(const Probe& probe);

  // Call this right after work. Returns the probe's time over the quickest probe's time, at least 1. Absent
  // if the device has no clock or the probe took no time. Throws the probe's exceptions.
  std::optional<double> slowdown(const Probe& probe);

 private:
  // If a probe is quicker than all earlier ones by this factor, a second probe follows and the longer time
  // counts. An H100 may briefly run 3 % above NVML's highest clock, and later probes would look slow.
  static constexpr double record_factor = 0.995;
  std::optional<double> probed(const Probe& probe);

  double quickest_seconds_ = std::numeric_limits<double>::infinity();  // of all probes
  double usual_seconds_ = quickest_seconds_;  // the quickest since settle() last timed out
};

}  // namespace graphbench::measure
