// The device side of a machine's mood, read around the measuring of one cell.
#pragma once

#include <memory>
#include <optional>

#include "graphs/device/device.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::machine {

model::MachineReading to_model(const DeviceReading& reading);

// Whether something slows the device down. Clocks that an administrator set, or that follow another
// GPU's, are steady and no throttling.
bool is_throttled(const model::MachineReading& reading);

// The reading after one of a cell's visits: it becomes the last, and what throttled after earlier ones stays
// in its reasons, so that whatever is flagged has one.
void add_later_reading(model::LaunchMachine& machine, std::optional<model::MachineReading> reading);

// Reads a device's mood; absent readings where it has no monitor.
class DeviceMood {
 public:
  explicit DeviceMood(Device& device) : result_(device.make_monitor()) {}

  std::optional<model::MachineReading> read();
  model::InstrumentState state() const { return {result_.monitor != nullptr, result_.detail}; }

 private:
  MonitorResult result_;
};

}  // namespace graphbench::machine
