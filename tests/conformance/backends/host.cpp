// Registers the host device as a backend under test.
#include <cstdlib>

#include "tests/conformance/backends.hpp"

namespace graphbench::conformance {
namespace {

bool lacks_bf16(const Device& device) {
  return !device.supports(ir::DType::bf16);
}

const BackendRegistration registration{{
    .name = "host",
    // Gives the device a fixed amount of memory: the machine's free memory changes with other processes.
    .prepare = [] { setenv("GRAPHBENCH_HOST_MEMORY_BYTES", "1073741824", 0); },
    .unsupported = {{"*/host_*fp16_*", "oneDNN has no fp16 arithmetic on CPUs"},
                    {"*/host_*bf16_*", "oneDNN has no bf16 arithmetic here (avx512_bf16)", lacks_bf16},
                    {"*InPlaceOps.Conv2dOverItsResidual/host",
                     "oneDNN's convolution does not write over its residual"}},
    // Runs all suites a second time with the instructions of the oldest CPU that graphbench supports.
    .variants = {{"avx2", {"ONEDNN_MAX_CPU_ISA=AVX2"}}},
}};

}  // namespace
}  // namespace graphbench::conformance
