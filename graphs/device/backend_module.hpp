// The interface of a backend module: a shared library that exports a function that opens the backend, and a
// function that returns the identity of the build. graphbench refuses a module with another identity.
#pragma once

#include "graphs/device/device.hpp"

namespace graphbench {

inline constexpr const char* backend_module_symbol = "graphbench_backend_open";
inline constexpr const char* backend_identity_symbol = "graphbench_backend_identity";
using BackendOpenFn = Backend* (*)();         // ownership passes to the caller
using BackendIdentityFn = const char* (*)();  // "<version> <compiler>"

const char* build_identity() noexcept;

}  // namespace graphbench
