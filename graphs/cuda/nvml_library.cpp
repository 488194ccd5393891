// Opens libnvidia-ml.so.1 and looks its functions up.
#include "graphs/cuda/nvml_library.hpp"

#include <dlfcn.h>

namespace graphbench::cuda {
namespace {

struct Opened {
  NvmlLibrary library;
  std::string why;  // empty where the library can be used
};

template <typename Function>
void look_up(void* handle, const char* name, Function& function, Opened& opened) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr && opened.why.empty())
    opened.why = std::string("libnvidia-ml.so.1 lacks ") + name + ": the driver is too old";
}

Opened open() {
  Opened opened;
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* text = dlerror();
    opened.why = std::string("NVML could not be opened: ") + (text != nullptr ? text : "unknown error");
    return opened;
  }
  NvmlLibrary& library = opened.library;
  look_up(handle, "nvmlInit_v2", library.init, opened);
  look_up(handle, "nvmlShutdown", library.shutdown, opened);
  look_up(handle, "nvmlErrorString", library.error_string, opened);
  look_up(handle, "nvmlDeviceGetHandleByPciBusId_v2", library.device_by_pci_bus_id, opened);
  look_up(handle, "nvmlDeviceGetClockInfo", library.clock_info, opened);
  look_up(handle, "nvmlDeviceGetTemperature", library.temperature, opened);
  look_up(handle, "nvmlDeviceGetPowerUsage", library.power_usage, opened);
  // Drivers since 535 call them event reasons, and keep the old name.
  look_up(handle, "nvmlDeviceGetCurrentClocksThrottleReasons", library.throttle_reasons, opened);
  return opened;
}

}  // namespace

const NvmlLibrary* nvml_library(std::string& why) {
  static const Opened opened = open();
  why = opened.why;
  return opened.why.empty() ? &opened.library : nullptr;
}

}  // namespace graphbench::cuda
