// What this machine's CPU is and can do.
#pragma once

#include <cstddef>
#include <string>

namespace graphbench::host {

std::string cpu_name();  // "Intel(R) Xeon(R) ..."; "unknown CPU" where the system does not say
int usable_cores();      // cores this process may run on, at least 1
// Bytes of the largest cache that the system reports; 0 where it reports none.
std::size_t last_cache_bytes() noexcept;

}  // namespace graphbench::host
