// What a device says of itself, as plain data: the part of the environment that a device supplies.
#pragma once

#include "graphs/device/device.hpp"
#include "harness/model/result.hpp"

namespace graphbench::machine {

model::DeviceFacts facts_of(const DeviceInfo& info);
std::vector<model::LibraryChoice> choices_of(const DeviceInstruments& device);
// What this process had of the cache since `before`; absent where the device keeps nothing.
std::optional<model::CacheUse> cache_use_since(const std::optional<cache::Use>& before,
                                               const DeviceInstruments& device);

}  // namespace graphbench::machine
