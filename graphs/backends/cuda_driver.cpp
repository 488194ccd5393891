// Loads libcuda.so.1, and calls the three functions of it that need no header.
#include "graphs/backends/cuda_driver.hpp"

#include <dlfcn.h>

#include <string_view>

namespace graphbench {
namespace {

constexpr const char* library_name = "libcuda.so.1";
// The texts of the linker and the numbers of cuda.h that are compared with.
constexpr std::string_view not_found = "libcuda.so.1: cannot open shared object file: No such file";
constexpr int success = 0;
constexpr int no_device = 100;
constexpr int stub_library = 34;

template <typename Function>
Function* look_up(const char* symbol) {
  void* const library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, symbol));
}

// Where the loaded library is: a stub of a toolkit may come first in LD_LIBRARY_PATH.
std::string path_of(const void* symbol) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : library_name;
}

DeviceStatus unusable(std::string detail, std::string advice) {
  return {.id = "cuda", .detail = std::move(detail), .advice = std::move(advice)};
}

CudaDriver read_driver() {
  if (dlopen(library_name, RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    const char* const said = dlerror();
    const std::string text = said != nullptr ? said : "unknown error of the dynamic linker";
    if (!text.starts_with(not_found))
      return {0, unusable("the NVIDIA driver's library cannot be loaded: " + text,
                          "reinstall the NVIDIA driver")};
    CudaDriver none{0, unusable("no NVIDIA driver is installed (libcuda.so.1 not found)",
                                "install an NVIDIA driver; in a container, pass the GPU through")};
    none.status.absent = true;
    return none;
  }
  auto* const read_version = look_up<int(int*)>("cuDriverGetVersion");
  CudaDriver driver;
  const int code = read_version == nullptr ? -1 : read_version(&driver.version);
  if (code == success && driver.version > 0) return driver;
  const std::string path =
      read_version == nullptr ? library_name : path_of(reinterpret_cast<void*>(read_version));
  const bool is_stub = code == stub_library || code == success;
  return {0, unusable(path + (is_stub ? " is a stub for linking, not a driver"
                                      : " is not a working driver: cuDriverGetVersion " +
                                            (read_version == nullptr ? "is missing"
                                                                     : "returned " + std::to_string(code))),
                      "remove its folder from LD_LIBRARY_PATH, or reinstall the NVIDIA driver")};
}

}  // namespace

const CudaDriver& cuda_driver() {
  static const CudaDriver driver = read_driver();
  return driver;
}

DeviceStatus unless_there_is_no_gpu(DeviceStatus other) {
  auto* const initialise = look_up<int(unsigned)>("cuInit");
  auto* const count_devices = look_up<int(int*)>("cuDeviceGetCount");
  if (initialise == nullptr || count_devices == nullptr) return other;
  const int code = initialise(0);
  int count = 0;
  const bool none = code == no_device || (code == success && count_devices(&count) == success && count == 0);
  return none ? no_gpu_status() : other;
}

std::string driver_release_for(int cuda_major) {
  return cuda_major >= 13 ? "580 or newer" : "525 or newer";
}

}  // namespace graphbench
