// A backend in a shared library of its own: found, opened, checked. Every way in which that can fail
// is a reason a person can act on, not an exception.
#pragma once

#include <memory>
#include <string>

#include "graphs/device/device.hpp"

namespace graphbench {

// Either a backend, or why there is none and what would help.
struct ModuleResult {
  std::unique_ptr<Backend> backend;
  std::string failure;  // empty where there is a backend
  std::string advice;
};

// Where backend modules are looked for: $GRAPHBENCH_MODULE_DIR, else ../lib/graphbench beside the
// running binary.
std::string module_directory();

// Loads and checks a module. One that is accepted stays loaded until the process ends: its backend's
// code and its device's driver state do not survive being unmapped.
ModuleResult load_backend_module(const std::string& path);

}  // namespace graphbench
