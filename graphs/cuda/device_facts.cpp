// Reads device properties, library versions and, if NVML is installed, the driver's version.
#include "graphs/cuda/device_facts.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>

#include "graphs/cuda/cublas_library.hpp"
#include "graphs/cuda/cudnn_library.hpp"
#include "graphs/cuda/nvml.hpp"
#include "graphs/cuda/runtime_names.hpp"
#include "graphs/cuda/status.hpp"

namespace graphbench::cuda {
namespace {

// The driver's own version. cudaDriverGetVersion returns the CUDA version that the driver supports instead.
std::string driver_release() {
  std::string why;
  const NvmlLibrary* nvml = nvml_library(why);
  char text[96] = "";
  if (nvml == nullptr || nvml->driver_version(text, sizeof(text)) != nvml_success) return "";
  return text;
}

std::string driver_text() {
  const std::string release = driver_release();
  if (!release.empty()) return release;
  int version = 0;
  check(cudaDriverGetVersion(&version), "read driver version");
  return "for CUDA " + cuda_version_text(version);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

DeviceStatus unavailable(std::string id, std::string detail, std::string advice) {
  return DeviceStatus{std::move(id), false, std::move(detail), std::move(advice), {}};
}

DeviceStatus no_devices(cudaError_t status) {
  if (status == cudaErrorInsufficientDriver) {
    return unavailable("cuda",
                       "the driver runs CUDA " + cuda_version_text(driver_version()) +
                           ", but this module needs " + cuda_version_text(CUDART_VERSION),
                       "update the NVIDIA driver");
  }
  if (status == cudaErrorNoDevice || status == cudaSuccess) return no_gpu_status();
  return unavailable("cuda", describe(status), "check nvidia-smi");
}

DeviceStatus status_of(int index) {
  const std::string id = "cuda:" + std::to_string(index);
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, index);
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    return unavailable(id, describe(status), "check nvidia-smi");
  }
  const std::string capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  if (properties.major * 10 + properties.minor < GRAPHBENCH_CUDA_ARCHITECTURE_MIN) {
    return unavailable(id,
                       std::string(properties.name) + " has compute capability " + capability +
                           ", but this build has code for newer GPUs only",
                       "rebuild with -DGRAPHBENCH_CUDA_ARCHITECTURES=" + std::to_string(properties.major) +
                           std::to_string(properties.minor));
  }
  return DeviceStatus{
      id, true,
      std::string(properties.name) + ", " + std::to_string(properties.totalGlobalMem >> 30) +
          " GiB, compute capability " + capability,
      "", supported_dtypes([&](ir::DType dtype) { return has_arithmetic(dtype, properties.major); })};
}

}  // namespace

std::string pci_bus_id_of(int index) {
  char text[32] = {};
  if (cudaDeviceGetPCIBusId(text, sizeof text, index) == cudaSuccess) return text;
  (void)cudaGetLastError();
  return "";
}

bool has_arithmetic(ir::DType dtype, int compute_major) {
  return dtype != ir::DType::bf16 || compute_major >= 8;
}

facts::DeviceFacts device_info(int index, LibrarySearch search, bool use_cudnn) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "read device properties");
  facts::DeviceFacts info{};
  info.kind = "cuda";
  info.name = properties.name;
  info.uuid = uuid_text(properties.uuid);
  info.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.driver = driver_text();
  info.pci_bus_id = pci_bus_id_of(index);
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "read runtime version");
  info.runtime = cuda_version_text(runtime);
  // A process that runs a lent step has the libraries that its step loaded, or none.
  const bool has_cublas = open_cublas(search).empty();
  if (has_cublas || search == LibrarySearch::everywhere) info.libraries["cublasLt"] = cublas_version_text();
  const bool has_cudnn = use_cudnn && cudnn_library(search) != nullptr;
  if (has_cudnn || search == LibrarySearch::everywhere)
    info.libraries["cudnn"] = use_cudnn ? cudnn_version_text() : "none (switched off)";
  return info;
}

std::vector<DeviceStatus> device_statuses() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (status != cudaSuccess || count == 0) return {no_devices(status)};
  std::vector<DeviceStatus> statuses;
  for (int index = 0; index < count; ++index) statuses.push_back(status_of(index));
  return statuses;
}

}  // namespace graphbench::cuda
