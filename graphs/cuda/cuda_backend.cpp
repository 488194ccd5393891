// Listing and opening GPUs.
#include "graphs/cuda/cuda_backend.hpp"

#include "graphs/cuda/cuda_device.hpp"
#include "graphs/cuda/device_facts.hpp"

namespace graphbench::cuda {

std::vector<DeviceStatus> CudaBackend::devices() {
  return device_statuses();
}

std::unique_ptr<Device> CudaBackend::open(int index) {
  const std::vector<DeviceStatus> statuses = device_statuses();
  const std::string id = "cuda:" + std::to_string(index);
  for (const DeviceStatus& status : statuses) {
    if (status.id == id && status.available) return std::make_unique<CudaDevice>(index);
    if (!status.available && (status.id == id || status.id == "cuda")) {
      throw Error(ErrorCode::unsupported, "open device " + id + ": " + status.detail + "; " + status.advice);
    }
  }
  throw Error(ErrorCode::unsupported, "open device " + id + ": this machine has " +
                                          std::to_string(statuses.size()) + " CUDA device(s)");
}

}  // namespace graphbench::cuda
