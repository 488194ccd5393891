// The facts that a device reports: about itself, its state, its choices and their cache.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphbench::facts {

struct DeviceFacts {
  std::string kind;                // "cuda", "host"
  std::string name;                // "NVIDIA H200"; on host, the CPU's name
  std::string uuid;                // empty if the device has none
  std::string compute_capability;  // "9.0"; empty on host
  std::int64_t memory_bytes;
  std::string driver;                            // "580.159.04"; empty on host
  std::string runtime;                           // "13.0"; empty on host
  std::map<std::string, std::string> libraries;  // "cublasLt" -> "13.1.0"
  std::string pci_bus_id;                        // "0000:1b:00.0"; empty on host
};

// A value that could not be read is absent.
struct DeviceReading {
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> temperature_celsius;
  std::optional<double> power_watts;
  std::vector<std::string> throttle;  // active reasons, such as "sw_power_cap"; idling is not listed
};

// The library's algorithm, or our kernel, that the device chose for an op.
struct LibraryChoice {
  std::string key;        // everything that the choice depends on: the op, its shape and types
  std::string algorithm;  // a name with the same meaning in every process
  bool timed;             // true: candidates were timed, now or earlier; false: a heuristic chose
  bool hit;               // an earlier process made the choice; in a sweep's document, an earlier sweep did
  // Where the library's plan comes from. "serialised": the plan itself was loaded from the package
  // (packages.md). "engine": loading failed, so the plan was built from the algorithm's name. Empty: the
  // package has no plan.
  std::string plan;
  friend bool operator==(const LibraryChoice&, const LibraryChoice&) = default;
};

// How often one process used the cache (graphs/device/cache), and how much time the cache saved.
struct CacheUse {
  std::int64_t hits;  // entries that the cache had; each key counts once
  std::int64_t misses;
  std::int64_t refused;
  std::int64_t bytes;    // total size of found and made entries
  double seconds_saved;  // time that the found entries once took to make, minus waits for other processes
};

}  // namespace graphbench::facts
