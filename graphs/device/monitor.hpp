// A device's state as the driver reports it: clocks, temperature, power, causes of throttling. Take a
// reading only between timed regions, because it may take milliseconds.
#pragma once

#include <memory>
#include <string>

#include "graphs/base/facts/device.hpp"

namespace graphbench {

class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;
  virtual facts::DeviceReading read() = 0;  // never throws
};

struct MonitorResult {
  std::unique_ptr<DeviceMonitor> monitor;
  std::string detail;
};

}  // namespace graphbench
