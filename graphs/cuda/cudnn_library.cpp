// Opens libcudnn.so.9 and resolves the functions that cudnn_library.hpp lists.
#include "graphs/cuda/cudnn_library.hpp"

#include "graphs/cuda/dynamic_library.hpp"

namespace graphbench::cuda {

#if defined(GRAPHBENCH_HAVE_CUDNN)
namespace {

Opened<CudnnLibrary> open_cudnn() {
  Opened<CudnnLibrary> opened;
  // Never closed, because cuDNN keeps threads and device state until the process ends.
  void* handle = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    opened.why = "libcudnn.so.9 not found";
    return opened;
  }
#define GRAPHBENCH_CUDNN_RESOLVE(name)                                                                 \
  opened.library.name = reinterpret_cast<decltype(opened.library.name)>(dlsym(handle, "cudnn" #name)); \
  if (opened.library.name == nullptr) opened.why = "libcudnn.so.9 lacks cudnn" #name;
  GRAPHBENCH_CUDNN_FUNCTIONS(GRAPHBENCH_CUDNN_RESOLVE)
#undef GRAPHBENCH_CUDNN_RESOLVE
  return opened;
}

const Opened<CudnnLibrary>& opened_library() {
  static const Opened<CudnnLibrary> opened = open_cudnn();
  return opened;
}

}  // namespace

const CudnnLibrary* cudnn_library() noexcept {
  const Opened<CudnnLibrary>& opened = opened_library();
  return opened.why.empty() ? &opened.library : nullptr;
}

std::string cudnn_version_text() {
  const CudnnLibrary* library = cudnn_library();
  if (library == nullptr) return "none (" + opened_library().why + ")";
  const std::size_t version = library->GetVersion();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

#else

const CudnnLibrary* cudnn_library() noexcept {
  return nullptr;
}
std::string cudnn_version_text() {
  return "none (built without its headers)";
}

#endif

}  // namespace graphbench::cuda
