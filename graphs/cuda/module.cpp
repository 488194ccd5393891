// The module of the CUDA backend.
#include "graphs/cuda/cuda_device.hpp"
#include "graphs/device/module_export.hpp"

GRAPHBENCH_EXPORT_BACKEND(new graphbench::cuda::CudaBackend())
