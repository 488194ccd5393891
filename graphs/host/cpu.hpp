// This machine's CPU, and its division into several host devices.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench::host {

std::string cpu_name();  // "Intel(R) Xeon(R) ..."; "unknown CPU" if the system gives no name
int usable_cores();      // at least 1
// The bytes of the largest cache from level 2 on; 0 if the system reports none.
std::size_t last_cache_bytes() noexcept;

// Divides the machine into several host devices: disjoint sets of the process's CPUs. They share caches and
// memory, so they serve to test code for several devices, not to measure.
inline constexpr const char* shares_variable = "GRAPHBENCH_HOST_DEVICES";

// The number of shares; 0 if the variable is not set and `host` is the only device. Throws
// Error(invalid_argument) if the value is not a number from 1 to 1024.
int shares();

// The share number in "host:N"; absent for other names. Throws Error(invalid_argument) if N is not a number
// or the host is not divided, Error(unsupported) if N is not less than the number of shares.
std::optional<int> share_of(const std::string& device);

// The part of `cpus` that belongs to the share, in the same order. Throws Error(unsupported) if there are
// more shares than CPUs.
std::vector<int> cpus_of(int share, const std::vector<int>& cpus);

// `host` and its shares, without the dtypes, which oneDNN knows. A process that uses a GPU need not load it.
std::vector<DeviceStatus> device_statuses();

}  // namespace graphbench::host
