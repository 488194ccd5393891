// The facts that a GPU and its driver report, for result documents and `list devices`.
#pragma once

#include <string>
#include <vector>

#include "graphs/base/library_search.hpp"
#include "graphs/device/device.hpp"

namespace graphbench::cuda {

// "0000:1b:00.0", or empty if the driver reports none. Creates no context.
std::string pci_bus_id_of(int index);

bool has_arithmetic(ir::DType dtype, int compute_major);

facts::DeviceFacts device_info(int index, LibrarySearch search, bool use_cudnn);

// One entry per GPU, or one with the reason why there is none. Creates no context, and does not throw if
// hardware is missing.
std::vector<DeviceStatus> device_statuses();

}  // namespace graphbench::cuda
