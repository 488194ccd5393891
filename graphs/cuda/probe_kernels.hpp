// Launches the kernels of graphs/device/probe_kernels.hpp.
#pragma once

#include "graphs/device/probe_kernels.hpp"

namespace graphbench::cuda {

class CudaProbeKernel final : public Kernel {
 public:
  explicit CudaProbeKernel(ProbeKernel which) noexcept : which_(which) {}
  void launch(Stream& stream, void* const* operands) override;

 private:
  ProbeKernel which_;
};

}  // namespace graphbench::cuda
