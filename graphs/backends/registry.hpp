// Where backends come from: `host` is always there, `cuda` is a module found beside the binary and
// loaded on first use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graphs/device/device.hpp"

namespace graphbench {

// Every device this machine offers, and every backend that offers none, with its reason.
std::vector<DeviceStatus> list_devices();

// Loads what opening `spec` needs beside the device itself: the module of its backend. Optional: opening does
// it too, and says why it cannot.
void load_backend(const std::string& spec);

// `spec`: "auto" (cuda where one works, else host), "cuda", "cuda:N", "host", "host:N" (shares.hpp). Throws
// Error(invalid_argument) for another word, Error(unsupported) with the reason where the device is
// not available. A device keeps its backend alive.
std::unique_ptr<Device> open_device(const std::string& spec);

}  // namespace graphbench
