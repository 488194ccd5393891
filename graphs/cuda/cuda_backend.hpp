// The backend that the module hands to the registry.
#pragma once

#include "graphs/device/device.hpp"

namespace graphbench::cuda {

class CudaBackend final : public Backend {
 public:
  std::string name() const override { return "cuda"; }
  std::vector<DeviceStatus> devices() override;
  std::unique_ptr<Device> open(int index) override;
};

}  // namespace graphbench::cuda
