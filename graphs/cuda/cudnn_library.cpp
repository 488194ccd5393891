// Opens libcudnn.so.9 and resolves the functions that cudnn_library.hpp lists.
#include "graphs/cuda/cudnn_library.hpp"

#include <dlfcn.h>

#include "graphs/cuda/cublas_library.hpp"
#include "graphs/cuda/runtime_names.hpp"

namespace graphbench::cuda {

std::string why_not_cudnn_of(std::size_t cudart_version) {
  const auto major = static_cast<int>(cudart_version / 1000);
  if (major == cuda_major) return "";
  return "libcudnn.so.9 is of CUDA " + std::to_string(major) + ", this module of CUDA " +
         std::to_string(cuda_major);
}

#if defined(GRAPHBENCH_HAVE_CUDNN)
namespace {

struct Cudnn {
  CudnnLibrary functions;
  bool is_open = false;
  std::string why = "not looked for";
};

Cudnn& opened_cudnn() {
  static Cudnn library;
  return library;
}

void open_cudnn(LibrarySearch search) {
  Cudnn& library = opened_cudnn();
  // cuDNN opens cuBLASLt by its name, which finds the one that is loaded.
  (void)open_cublas(search);
  const FoundLibrary found = open_library("libcudnn.so.9", search);
  library.why = found.handle == nullptr ? "libcudnn.so.9 not found" : "";
  if (found.handle == nullptr) return;
#define GRAPHBENCH_CUDNN_RESOLVE(name)                                                        \
  library.functions.name =                                                                    \
      reinterpret_cast<decltype(library.functions.name)>(dlsym(found.handle, "cudnn" #name)); \
  if (library.functions.name == nullptr) library.why = "libcudnn.so.9 lacks cudnn" #name;
  GRAPHBENCH_CUDNN_FUNCTIONS(GRAPHBENCH_CUDNN_RESOLVE)
#undef GRAPHBENCH_CUDNN_RESOLVE
  if (library.why.empty()) library.why = why_not_cudnn_of(library.functions.GetCudartVersion());
  library.is_open = library.why.empty();
}

}  // namespace

const CudnnLibrary* cudnn_library(LibrarySearch search) noexcept {
  if (!opened_cudnn().is_open) open_cudnn(search);
  return opened_cudnn().is_open ? &opened_cudnn().functions : nullptr;
}

std::string cudnn_version_text() {
  if (!opened_cudnn().is_open) return "none (" + opened_cudnn().why + ")";
  const std::size_t version = opened_cudnn().functions.GetVersion();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

#else

const CudnnLibrary* cudnn_library(LibrarySearch) noexcept {
  return nullptr;
}
std::string cudnn_version_text() {
  return "none (built without its headers)";
}

#endif

}  // namespace graphbench::cuda
