// A device's state as its driver reports it: clocks, temperature, power, causes of throttling. A reading
// takes up to milliseconds and belongs between timed regions.
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

// A monitor, or the reason why there is none.
struct MonitorResult {
  std::unique_ptr<DeviceMonitor> monitor;
  std::string detail;
};

}  // namespace graphbench
