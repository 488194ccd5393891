// The device side of a machine's mood, read around the measuring of one cell.
#pragma once

#include <memory>
#include <optional>
#include <utility>

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
  explicit DeviceMood(Device& device) : DeviceMood(device.make_monitor()) {}
  explicit DeviceMood(MonitorResult monitor) : result_(std::move(monitor)) {}

  std::optional<model::MachineReading> read();
  // Leaves the device idle until it is no longer throttled, 25 ms at most: one that drew too much power keeps
  // lower clocks for a while, and what is measured next would pay for it. Nothing where the last reading
  // found none.
  void recover();
  model::InstrumentState state() const { return {result_.monitor != nullptr, result_.detail}; }

 private:
  MonitorResult result_;
  bool throttled_ = false;  // at the last reading
};

}  // namespace graphbench::machine
