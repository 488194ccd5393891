// Asks NVIDIA's driver what it is and whether it sees a GPU, before any module is loaded. So the registry can
// tell a machine without GPUs from one whose GPUs cannot be used, also where no module can be asked.
#pragma once

#include <string>

#include "graphs/device/device.hpp"

namespace graphbench {

struct CudaDriver {
  int version = 0;      // the CUDA version that the driver runs, such as 12040; 0 if there is a `failure`
  DeviceStatus status;  // why the driver cannot be used; `detail` is empty if it can
};

// Loads libcuda.so.1, which stays loaded. Initialises nothing, so devices and memory are as before.
const CudaDriver& cuda_driver();

// Initialises the driver, and returns a status that is `absent` if the driver sees no GPU. Otherwise returns
// `other`, which says why GPUs that may be there cannot be used.
DeviceStatus unless_there_is_no_gpu(DeviceStatus other);

// The oldest driver release that runs this major version of CUDA: "525 or newer".
std::string driver_release_for(int cuda_major);

}  // namespace graphbench
