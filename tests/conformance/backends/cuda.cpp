// Registers the first GPU as a backend under test.
#include "tests/conformance/backends.hpp"

namespace graphbench::conformance {
namespace {

bool lacks_bf16(const Device& device) {
  return !device.supports(ir::DType::bf16);
}
bool convolves_without_cudnn(const Device& device) {
  return device.info().libraries.at("cudnn").starts_with("none");
}

const BackendRegistration registration{{
    .name = "cuda",
    .always_there = false,
    .unsupported = {{"*/cuda_*bf16_*", "GPUs before compute capability 8.0 have no bf16 arithmetic",
                     lacks_bf16},
                    {"*InPlaceOps.Conv2dOverItsResidual/cuda",
                     "convolution through im2col does not write over its residual", convolves_without_cudnn}},
    .variants = {{"no-cudnn",
                  {"GRAPHBENCH_CUDNN=off"},
                  {"OpConformance", "InPlaceOps", "ModeConformance", "StateConformance", "PoolConformance",
                   "WorkloadConformance", "TrainingConformance", "TrainingModes"}}},
}};

}  // namespace
}  // namespace graphbench::conformance
