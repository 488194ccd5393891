// Opens cuDNN at run time if it is installed. The build needs cuDNN's headers for this. Without headers or
// library, ops use cuBLASLt or our own kernels.
#pragma once

#include <cstddef>
#include <string>

#include "graphs/base/library_search.hpp"

#if defined(__has_include)
#if __has_include(<cudnn.h>)
#define GRAPHBENCH_HAVE_CUDNN 1
#include <cudnn.h>
#endif
#endif

namespace graphbench::cuda {

// Opens the library unless it is open. Null if libcudnn.so.9 cannot be opened, is of another CUDA, or the
// build had no headers.
struct CudnnLibrary;
const CudnnLibrary* cudnn_library(LibrarySearch search = LibrarySearch::everywhere) noexcept;

// Why a cuDNN that was built with this version of CUDA's runtime cannot be used; empty if it can. The
// libraries of both majors have the same name.
std::string why_not_cudnn_of(std::size_t cudart_version);

// "9.19.0", or the reason why cuDNN is not used.
std::string cudnn_version_text();

#if defined(GRAPHBENCH_HAVE_CUDNN)

// The functions that we use, without "cudnn" before their names; cudnn_library.cpp resolves this list.
#define GRAPHBENCH_CUDNN_FUNCTIONS(X) \
  X(GetVersion)                       \
  X(GetCudartVersion)                 \
  X(GetErrorString)                   \
  X(Create)                           \
  X(Destroy)                          \
  X(SetStream)                        \
  X(BackendCreateDescriptor)          \
  X(BackendDestroyDescriptor)         \
  X(BackendSetAttribute)              \
  X(BackendGetAttribute)              \
  X(BackendFinalize)                  \
  X(BackendExecute)

// A pointer per function: `Create` points to cudnnCreate().
struct CudnnLibrary {
#define GRAPHBENCH_CUDNN_POINTER(name) decltype(&::cudnn##name) name = nullptr;
  GRAPHBENCH_CUDNN_FUNCTIONS(GRAPHBENCH_CUDNN_POINTER)
#undef GRAPHBENCH_CUDNN_POINTER
};

#endif

}  // namespace graphbench::cuda
