// Opens cuDNN at run time if it is installed. The build needs cuDNN's headers for this. Without headers or
// library, ops use cuBLASLt or our own kernels.
#pragma once

#include <string>

#if defined(__has_include)
#if __has_include(<cudnn.h>)
#define GRAPHBENCH_HAVE_CUDNN 1
#include <cudnn.h>
#endif
#endif

namespace graphbench::cuda {

// Opens the library once per process. Null if libcudnn.so.9 cannot be opened or the build had no headers.
struct CudnnLibrary;
const CudnnLibrary* cudnn_library() noexcept;

// "9.19.0", or the reason why cuDNN is not used.
std::string cudnn_version_text();

#if defined(GRAPHBENCH_HAVE_CUDNN)

// Member `Create` is cudnnCreate(), and so on.
struct CudnnLibrary {
#define GRAPHBENCH_CUDNN_FUNCTIONS(X) \
  X(GetVersion)                       \
  X(GetErrorString)                   \
  X(Create)                           \
  X(Destroy)                          \
  X(SetStream)                        \
  X(BackendCreateDescriptor)          \
  X(BackendDestroyDescriptor)         \
  X(BackendSetAttribute) X(BackendGetAttribute) X(BackendFinalize) X(BackendExecute)
#define GRAPHBENCH_CUDNN_POINTER(name) decltype(&::cudnn##name) name = nullptr;
  GRAPHBENCH_CUDNN_FUNCTIONS(GRAPHBENCH_CUDNN_POINTER)
#undef GRAPHBENCH_CUDNN_POINTER
};

#endif

}  // namespace graphbench::cuda
