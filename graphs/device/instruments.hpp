// The part of a device's interface that only measurements use, not steps. device.hpp has the rules on
// threads, order and errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/facts/device.hpp"
#include "graphs/device/cache/entry.hpp"
#include "graphs/device/execution.hpp"
#include "graphs/device/profiler.hpp"

namespace graphbench {

struct MemoryUse {
  std::size_t bytes = 0;
  // If false, the driver has no value per process, and `bytes` is the decrease of free memory since before
  // the process's first context. This decrease also shows what other processes allocate and free.
  bool of_process = false;
};

// A device's state as the driver reports it: clocks, temperature, power, causes of throttling. Take a
// reading only between timed regions, because it may take milliseconds.
class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;
  virtual facts::DeviceReading read() = 0;  // never throws
};

struct MonitorResult {
  std::unique_ptr<DeviceMonitor> monitor;
  std::string detail;
};

class DeviceInstruments {
 public:
  // A kernel that does nothing, to measure launches.
  virtual std::unique_ptr<Kernel> make_empty_kernel() = 0;
  // The size of the last-level cache (a GPU's L2); 0 if unknown.
  virtual std::size_t cache_bytes() const { return 0; }
  // The seconds that a fixed number of clock cycles takes: more if the clock is lowered. The probe takes
  // some tenths of a millisecond and leaves the device almost idle. The stream must be idle before the call,
  // and is idle afterwards. Absent if the device has no clock of its own.
  virtual std::optional<double> clock_probe_seconds(Stream&) { return std::nullopt; }
  // The device memory in use, as the driver reports it. Absent if the driver does not report it. The call may
  // take a millisecond.
  virtual std::optional<MemoryUse> memory_use() { return std::nullopt; }
  // One choice per cache key so far, in the order of keys; empty on a device without choices.
  virtual std::vector<facts::LibraryChoice> library_choices() const { return {}; }
  // The use of the cache so far. Absent if the cache is off or unused by this device.
  virtual std::optional<facts::CacheUse> cache_use() const { return std::nullopt; }
  // The entries of library_choices(), each with the library's own plan if the library can serialise it
  // (cache::Choice).
  virtual std::vector<cache::Entry> kept_choices() const { return {}; }
  // Later choices prefer a matching entry from this list to the cache. Returns the number of entries that fit
  // the device, its libraries and this build.
  virtual std::size_t offer_choices(const std::vector<cache::Entry>&) { return 0; }
  // Loads the profiler's library at this call, not earlier. Does not throw if the library is missing.
  virtual ProfilerResult make_profiler() = 0;
  virtual MonitorResult make_monitor();

 protected:
  ~DeviceInstruments() = default;  // owned as a Device
};

}  // namespace graphbench
