// Finds backends: `host` and `cuda` are modules that are loaded on first use; `cuda` is one of several. The
// first call of a process decides which (cuda_module.hpp), so its `work` must be that of all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench {

// Lists the devices of all backends. A backend without devices has one entry with the reason.
std::vector<DeviceStatus> list_devices(Work work = Work::programs);

// Loads the CUDA module ahead of time, unless `spec` names a host device. This call is optional and reports
// no errors: open_device() loads the module too, and reports why it cannot be used.
void load_backend(const std::string& spec, Work work = Work::programs);

// What "auto" means on this machine.
struct AutoDevice {
  std::string spec;    // "cuda", or "host" if the machine has no GPU, or hides it
  std::string no_gpu;  // why it is the host
};
// Throws Error(unsupported) if GPUs may be there but none can be used: the host would give other figures.
AutoDevice auto_device(Work work = Work::programs);

// `spec`: "auto" (auto_device()), "cuda", "cuda:N", "host", "host:N" (cpu.hpp). Throws
// Error(invalid_argument) for another text, Error(unsupported) with the reason if the device is not
// available. Backends stay loaded, so a device may live until the process ends.
std::unique_ptr<Device> open_device(const std::string& spec, Work work = Work::programs);

struct ModuleResult {
  std::unique_ptr<Backend> backend;
  std::string failure;  // why there is no backend; empty if there is one
  std::string advice;
};

// An accepted module stays loaded until the process ends, because unloading would destroy the backend's code
// and the device's driver state.
ModuleResult load_backend_module(const std::string& path);

}  // namespace graphbench
