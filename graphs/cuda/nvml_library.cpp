// Opens libnvidia-ml.so.1 and looks its functions up.
#include "graphs/cuda/nvml_library.hpp"

#include "graphs/cuda/dynamic_library.hpp"

namespace graphbench::cuda {
namespace {

Opened<NvmlLibrary> open() {
  Opened<NvmlLibrary> opened;
  DynamicLibrary file("NVML", {"libnvidia-ml.so.1"});
  NvmlLibrary& library = opened.library;
  file.look_up("nvmlInit_v2", library.init);
  file.look_up("nvmlShutdown", library.shutdown);
  file.look_up("nvmlSystemGetDriverVersion", library.driver_version);
  file.look_up("nvmlErrorString", library.error_string);
  file.look_up("nvmlDeviceGetHandleByPciBusId_v2", library.device_by_pci_bus_id);
  file.look_up("nvmlDeviceGetClockInfo", library.clock_info);
  file.look_up("nvmlDeviceGetTemperature", library.temperature);
  file.look_up("nvmlDeviceGetPowerUsage", library.power_usage);
  // Drivers since 535 call them event reasons, and keep the old name.
  file.look_up("nvmlDeviceGetCurrentClocksThrottleReasons", library.throttle_reasons);
  file.look_up("nvmlDeviceGetMemoryInfo", library.memory_info);
  file.look_up("nvmlDeviceGetComputeRunningProcesses_v3", library.compute_processes);
  opened.why = file.why();
  // Kept until the process ends: initialising takes long, and monitors, which do it too, come and go. Where
  // it fails here, a monitor's own attempt says why.
  if (opened.why.empty()) (void)opened.library.init();
  return opened;
}

}  // namespace

const NvmlLibrary* nvml_library(std::string& why) {
  static const Opened<NvmlLibrary> opened = open();
  return opened.usable(why);
}

}  // namespace graphbench::cuda
