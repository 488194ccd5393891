// Opens libcudnn.so.9 and resolves the functions that cudnn_library.hpp lists.
#include "graphs/cuda/cudnn_library.hpp"

#include <dlfcn.h>

namespace graphbench::cuda {

#if defined(GRAPHBENCH_HAVE_CUDNN)
namespace {

struct OpenedCudnn {
  CudnnLibrary functions;
  bool usable = false;
  std::string reason;
};

OpenedCudnn open_library() {
  OpenedCudnn opened;
  // Never closed, because cuDNN keeps threads and device state until the process ends.
  void* handle = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    opened.reason = "libcudnn.so.9 not found";
    return opened;
  }
  opened.usable = true;
#define GRAPHBENCH_CUDNN_RESOLVE(name)                                                                     \
  opened.functions.name = reinterpret_cast<decltype(opened.functions.name)>(dlsym(handle, "cudnn" #name)); \
  if (opened.functions.name == nullptr) {                                                                  \
    opened.usable = false;                                                                                 \
    opened.reason = "libcudnn.so.9 lacks cudnn" #name;                                                     \
  }
  GRAPHBENCH_CUDNN_FUNCTIONS(GRAPHBENCH_CUDNN_RESOLVE)
#undef GRAPHBENCH_CUDNN_RESOLVE
  return opened;
}

const OpenedCudnn& opened_library() {
  static const OpenedCudnn opened = open_library();
  return opened;
}

}  // namespace

const CudnnLibrary* cudnn_library() noexcept {
  const OpenedCudnn& opened = opened_library();
  return opened.usable ? &opened.functions : nullptr;
}

std::string cudnn_version_text() {
  const CudnnLibrary* library = cudnn_library();
  if (library == nullptr) return "none (" + opened_library().reason + ")";
  const std::size_t version = library->GetVersion();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

const char* cudnn_status_text(int status) noexcept {
  const CudnnLibrary* library = cudnn_library();
  return library == nullptr ? "cuDNN error" : library->GetErrorString(static_cast<cudnnStatus_t>(status));
}

#else

const CudnnLibrary* cudnn_library() noexcept {
  return nullptr;
}
std::string cudnn_version_text() {
  return "none (built without its headers)";
}
const char* cudnn_status_text(int) noexcept {
  return "cuDNN error";
}

#endif

}  // namespace graphbench::cuda
