// Finds backends: `host` is built in; `cuda` is a module that is loaded on first use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench {

// Lists the devices of all backends. A backend without devices has one entry with the reason.
std::vector<DeviceStatus> list_devices();

// Loads the CUDA module ahead of time, unless `spec` names a host device. This call is optional and reports
// no errors: open_device() loads the module too, and reports why it cannot be used.
void load_backend(const std::string& spec);

// `spec`: "auto" (cuda if it works, else host), "cuda", "cuda:N", "host", "host:N" (cpu.hpp). Throws
// Error(invalid_argument) for another text, Error(unsupported) with the reason if the device is not
// available. Backends stay loaded, so a device may live until the process ends.
std::unique_ptr<Device> open_device(const std::string& spec);

struct ModuleResult {
  std::unique_ptr<Backend> backend;
  std::string failure;  // why there is no backend; empty if there is one
  std::string advice;
};

// An accepted module stays loaded until the process ends, because unloading would destroy the backend's code
// and the device's driver state.
ModuleResult load_backend_module(const std::string& path);

}  // namespace graphbench
