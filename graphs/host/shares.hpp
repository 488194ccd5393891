// This machine divided into several host devices: disjoint sets of the CPUs that a process may use. They
// share caches and memory, so they serve to try what several devices are for, and measure no machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace graphbench::host {

inline constexpr const char* shares_variable = "GRAPHBENCH_HOST_DEVICES";

// How many devices host:0, host:1, ... there are; 0: the variable is not set, and `host` is the only one.
// Throws Error(invalid_argument) for another value than a number from 1 to 1024.
int shares();

// The share of a device's name; absent for another name than "host:N". Throws Error(invalid_argument) for no
// number and where the host is not divided, Error(unsupported) where there are fewer shares.
std::optional<int> share_of(const std::string& device);

// Its part of `cpus`, in their order. Throws Error(unsupported) where there are fewer CPUs than shares.
std::vector<int> cpus_of(int share, const std::vector<int>& cpus);

}  // namespace graphbench::host
