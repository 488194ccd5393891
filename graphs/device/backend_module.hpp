// The interface of a backend module: a shared library that exports a function that opens the backend, and a
// function that returns the identity of the build. graphbench refuses a module with another identity.
#pragma once

#include <string>

#include "graphs/device/device.hpp"

namespace graphbench {

inline constexpr const char* backend_module_symbol = "graphbench_backend_open";
inline constexpr const char* backend_identity_symbol = "graphbench_backend_identity";
using BackendOpenFn = Backend* (*)();         // ownership passes to the caller
using BackendIdentityFn = const char* (*)();  // "<version> <compiler>"

const char* build_identity() noexcept;

// The first GPU that cannot be used though nothing says that it is absent, if no GPU can be used; else null.
// With such a GPU `auto` has no device.
const DeviceStatus* broken_gpu(const std::vector<DeviceStatus>& statuses);

std::string cuda_version_text(int version);  // "12.4" of 12040

}  // namespace graphbench
