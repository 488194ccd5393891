// What this process holds of a GPU's memory, as the driver says it through NVML. CUDA's own figure needs a
// context, which is the first thing to be weighed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graphs/cuda/nvml_library.hpp"
#include "graphs/device/instruments.hpp"

namespace graphbench::cuda {

class NvmlMemory {
 public:
  // Before this process's first context on the device: what is used then is not its own. `library` has been
  // initialised and outlives this.
  NvmlMemory(const NvmlLibrary& library, NvmlDevice device);

  // The driver's figure for this process, where it gives one; else how much less is free than at first, which
  // other processes change too. The first call decides which, and comes after the context. Absent where NVML
  // does not say.
  std::optional<MemoryUse> read();

 private:
  using Processes = std::map<unsigned, unsigned long long>;  // bytes by NVML's number of a process

  Processes processes() const;
  std::optional<unsigned long long> free_bytes() const;
  std::optional<unsigned> find_own() const;

  const NvmlLibrary& library_;
  NvmlDevice device_;
  Processes before_;
  std::optional<unsigned long long> free_before_;
  bool decided_ = false;
  std::optional<unsigned> own_;
};

// The device's, made at the first call of the process and kept until its end. Null where there is no NVML or
// it does not know the device.
NvmlMemory* nvml_memory_of(const std::string& pci_bus_id);

}  // namespace graphbench::cuda
