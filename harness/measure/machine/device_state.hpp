// The state of the device (clocks, temperature, power), read around the measuring of one cell.
#pragma once

#include <optional>

#include "graphs/device/device.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::machine {

// Whether something slows the device down. Clocks that an administrator set, or that follow another GPU's,
// are steady and do not count.
bool is_throttled(const facts::DeviceReading& reading);

// Takes the reading after a visit to a cell as the last one. It keeps the reasons for throttling after
// earlier visits, so that a cell marked as throttled always has a reason. `lowered`: the device's clock was
// found lowered, or cannot be probed; else a reason that is still named is that of an earlier cell.
void add_later_reading(model::LaunchMachine& machine, std::optional<facts::DeviceReading> reading,
                       bool lowered);

// Reads the device's monitor; where it has none, readings are absent.
class DeviceStateReader {
 public:
  explicit DeviceStateReader(Device& device) : result_(device.make_monitor()) {}

  std::optional<facts::DeviceReading> read();
  model::InstrumentState state() const { return {result_.monitor != nullptr, result_.detail}; }

 private:
  MonitorResult result_;
};

}  // namespace graphbench::machine
