// A kernel that does nothing, for measuring what launching one costs.
#pragma once

#include "graphs/device/device.hpp"

namespace graphbench::cuda {

class EmptyKernel final : public Kernel {
 public:
  void launch(Stream& stream, void* const* operands) override;
};

}  // namespace graphbench::cuda
