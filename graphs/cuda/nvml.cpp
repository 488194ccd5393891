// Opens libnvidia-ml.so.1, and reads this process's share of a GPU's memory and the GPU's state. Values that
// a GPU does not report are absent.
#include "graphs/cuda/nvml.hpp"

#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include "graphs/cuda/dynamic_library.hpp"

namespace graphbench::cuda {
namespace {

Opened<NvmlLibrary> open_nvml() {
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
  // Drivers since 535 call throttle reasons "event reasons", but keep the old function.
  file.look_up("nvmlDeviceGetCurrentClocksThrottleReasons", library.throttle_reasons);
  file.look_up("nvmlDeviceGetMemoryInfo", library.memory_info);
  file.look_up("nvmlDeviceGetComputeRunningProcesses_v3", library.compute_processes);
  opened.why = file.why();
  // Keeps NVML initialised: this init() takes long, but then the init() of each monitor does not. If this
  // init() fails, a monitor reports the reason later.
  if (opened.why.empty()) (void)opened.library.init();
  return opened;
}

}  // namespace

const NvmlLibrary* nvml_library(std::string& why) {
  static const Opened<NvmlLibrary> opened = open_nvml();
  return opened.usable(why);
}

NvmlMemory::NvmlMemory(const NvmlLibrary& library, NvmlDevice device)
    : library_(library), device_(device), before_(processes()), free_before_(free_bytes()) {}

NvmlMemory::Processes NvmlMemory::processes() const {
  std::array<NvmlProcess, 128> list{};
  auto count = static_cast<unsigned>(list.size());
  Processes all;
  if (library_.compute_processes(device_, &count, list.data()) != nvml_success) return all;
  for (unsigned i = 0; i < count; ++i) {
    if (list[i].used_bytes != nvml_not_available) all[list[i].pid] = list[i].used_bytes;
  }
  return all;
}

std::optional<unsigned long long> NvmlMemory::free_bytes() const {
  NvmlMemoryInfo info;
  if (library_.memory_info(device_, &info) != nvml_success) return std::nullopt;
  return info.free;
}

// Finds this process by its process id, or else as the only process that appeared with the context: in a
// container, NVML's process ids differ from those of this process.
std::optional<unsigned> NvmlMemory::find_own() const {
  Processes came = processes();
  for (const auto& [pid, bytes] : before_) came.erase(pid);
  if (came.contains(static_cast<unsigned>(getpid()))) return static_cast<unsigned>(getpid());
  return came.size() == 1 ? std::optional(came.begin()->first) : std::nullopt;
}

std::optional<MemoryUse> NvmlMemory::read() {
  if (!decided_) own_ = find_own();
  decided_ = true;
  if (own_) {
    const Processes now = processes();
    const auto own = now.find(*own_);
    return own == now.end() ? std::nullopt : std::optional(MemoryUse{own->second, true});
  }
  const std::optional<unsigned long long> free = free_bytes();
  if (!free || !free_before_) return std::nullopt;
  return MemoryUse{*free_before_ > *free ? *free_before_ - *free : 0, false};
}

NvmlMemory* nvml_memory_of(const std::string& pci_bus_id) {
  static std::map<std::string, std::unique_ptr<NvmlMemory>> of_device;
  const auto [place, is_new] = of_device.try_emplace(pci_bus_id);
  std::string why;
  const NvmlLibrary* library = is_new ? nvml_library(why) : nullptr;
  NvmlDevice device = nullptr;
  if (library != nullptr && library->device_by_pci_bus_id(pci_bus_id.c_str(), &device) == nvml_success) {
    place->second = std::make_unique<NvmlMemory>(*library, device);
  }
  return place->second.get();
}

namespace {

constexpr unsigned long long gpu_idle = 0x1;

constexpr std::array<std::pair<unsigned long long, const char*>, 8> reason_names = {{
    {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
}};

}  // namespace

std::vector<std::string> throttle_names(unsigned long long reasons) {
  reasons &= ~gpu_idle;
  std::vector<std::string> names;
  for (const auto& [bit, name] : reason_names) {
    if ((reasons & bit) != 0) names.emplace_back(name);
    reasons &= ~bit;
  }
  for (int bit = 0; bit < 64; ++bit) {
    if ((reasons >> bit & 1) != 0) names.push_back("reason_bit_" + std::to_string(bit));
  }
  return names;
}

MonitorResult NvmlMonitor::open(const NvmlLibrary& library, const std::string& bus_id) {
  int status = library.init();
  if (status != nvml_success) {
    return {nullptr, std::string("NVML could not be initialised: ") + library.error_string(status)};
  }
  NvmlDevice device = nullptr;
  status = library.device_by_pci_bus_id(bus_id.c_str(), &device);
  if (status != nvml_success) {
    const std::string why = "NVML does not know GPU " + bus_id + ": " + library.error_string(status);
    (void)library.shutdown();
    return {nullptr, why};
  }
  return {std::unique_ptr<DeviceMonitor>(new NvmlMonitor(library, device)), "NVML"};
}

NvmlMonitor::~NvmlMonitor() {
  // A failure is harmless: the process ends soon, or another user keeps NVML open.
  (void)library_.shutdown();
}

facts::DeviceReading NvmlMonitor::read() {
  facts::DeviceReading reading{};
  unsigned value = 0;
  if (library_.clock_info(device_, nvml_clock_sm, &value) == nvml_success) reading.sm_clock_hz = value * 1e6;
  if (library_.clock_info(device_, nvml_clock_memory, &value) == nvml_success) {
    reading.memory_clock_hz = value * 1e6;
  }
  if (library_.temperature(device_, nvml_temperature_gpu, &value) == nvml_success) {
    reading.temperature_celsius = value;
  }
  if (library_.power_usage(device_, &value) == nvml_success) reading.power_watts = value * 1e-3;
  unsigned long long reasons = 0;
  if (library_.throttle_reasons(device_, &reasons) == nvml_success) {
    reading.throttle = throttle_names(reasons);
  }
  return reading;
}

}  // namespace graphbench::cuda
