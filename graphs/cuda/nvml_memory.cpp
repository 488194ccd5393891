// Finds this process among those that NVML lists, by its number or by having come with the context.
#include "graphs/cuda/nvml_memory.hpp"

#include <unistd.h>

#include <array>
#include <memory>

namespace graphbench::cuda {

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

// In a container NVML's numbers are not the ones that this process knows: then it is the only one that came.
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

}  // namespace graphbench::cuda
