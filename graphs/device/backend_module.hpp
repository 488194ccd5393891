// The interface of a backend module: a shared library with a function that opens the backend, and with the
// identity of its build. A module of another build is refused.
#pragma once

#include "graphs/device/device.hpp"

namespace graphbench {

inline constexpr const char* backend_module_symbol = "graphbench_backend_open";
inline constexpr const char* backend_identity_symbol = "graphbench_backend_identity";
using BackendOpenFn = Backend* (*)();         // ownership passes to the caller
using BackendIdentityFn = const char* (*)();  // "<version> <compiler>"

const char* build_identity() noexcept;

}  // namespace graphbench
