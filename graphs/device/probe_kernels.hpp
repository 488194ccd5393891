// Kernels by which a caller sees whether a driver does what a launch asks for. Only some devices have them.
#pragma once

#include <cstdint>
#include <memory>

#include "graphs/device/execution.hpp"

namespace graphbench {

enum class ProbeKernel : std::uint8_t {
  cluster,  // operand {i32 out}: writes the number of blocks in its cluster, which is launched as two
  relay  // operands {i32 in, i32 out}: writes in + 1. May start before the kernel ahead of it has ended, and
         // waits for that kernel before it reads
};

// A Device may also be of this type.
class ProbeKernels {
 public:
  // Null if the hardware has no such launches.
  virtual std::unique_ptr<Kernel> make_probe_kernel(ProbeKernel which) = 0;

 protected:
  ~ProbeKernels() = default;
};

}  // namespace graphbench
