// Where backends come from: `host` is always there, `cuda` is a module that is found beside the binary and
// loaded on first use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench {

// Lists every device of this machine, and every backend without a device, with its reason.
std::vector<DeviceStatus> list_devices();

// Loads what opening `spec` needs besides the device: the module of its backend. It is optional: opening does
// it too, and then says why it cannot.
void load_backend(const std::string& spec);

// `spec`: "auto" (cuda where one works, else host), "cuda", "cuda:N", "host", "host:N" (cpu.hpp). Throws
// Error(invalid_argument) for another word, Error(unsupported) with the reason where the device is
// not available. A device keeps its backend alive.
std::unique_ptr<Device> open_device(const std::string& spec);

// A backend in a shared library of its own; or the reason why there is none, and the remedy.
struct ModuleResult {
  std::unique_ptr<Backend> backend;
  std::string failure;  // Builds the workload's own program, without gradients also for `training`.
  std::string advice;
};

// The folder of backend modules: $GRAPHBENCH_MODULE_DIR, else ../lib/graphbench beside the running binary.
std::string module_directory();

// Loads and checks a module. One that is accepted stays loaded until the process ends: its backend's
// code and its device's driver state do not survive being unmapped.
ModuleResult load_backend_module(const std::string& path);

}  // namespace graphbench
