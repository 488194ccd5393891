// A device's state as its driver reports it: clocks, temperature, power, what slows it down. Reading
// takes up to milliseconds and belongs between timed regions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphbench {

// What could not be read is absent.
struct DeviceReading {
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts;
  std::vector<std::string> throttle;  // reasons in force, such as "sw_power_cap"; idling is none
};

class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;
  virtual DeviceReading read() = 0;  // never throws
};

// Either a monitor or why there is none.
struct MonitorResult {
  std::unique_ptr<DeviceMonitor> monitor;
  std::string detail;
};

}  // namespace graphbench
