// The backend that is always there: one device, this machine's CPU.
#pragma once

#include <memory>

#include "graphs/device/device.hpp"

namespace graphbench::host {

std::unique_ptr<Backend> make_host_backend();

}  // namespace graphbench::host
