// cuDNN is opened at run time where it is installed, and built against its headers where the toolkit has
// them. Without headers or library, convolution is im2col and cuBLASLt.
#pragma once

#include <string>

#if defined(__has_include)
#if __has_include(<cudnn.h>)
#define GRAPHBENCH_HAVE_CUDNN 1
#include <cudnn.h>
#endif
#endif

namespace graphbench::cuda {

// Null if libcudnn.so.9 cannot be opened or this build had no headers. It is opened once per process.
struct CudnnLibrary;
const CudnnLibrary* cudnn_library() noexcept;

// "9.19.0", or why cuDNN is not used.
std::string cudnn_version_text();

// The library's text for a cudnnStatus_t; a fixed word where the library is absent.
const char* cudnn_status_text(int status) noexcept;

#if defined(GRAPHBENCH_HAVE_CUDNN)

// The functions that are used, under their own names.
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
