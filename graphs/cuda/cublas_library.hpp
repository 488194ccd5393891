// Opens cuBLASLt at run time, when the first matrix product is prepared. So a process that prepares none,
// such as one that runs a step of PyTorch, works without it.
#pragma once

#include <cublasLt.h>

#include <string>

#include "graphs/base/library_search.hpp"

namespace graphbench::cuda {

// The functions that we use, without "cublasLt" before their names; cublas_library.cpp resolves this list.
#define GRAPHBENCH_CUBLAS_FUNCTIONS(X) \
  X(GetVersion)                        \
  X(GetStatusName)                     \
  X(GetStatusString)                   \
  X(Create)                            \
  X(Destroy)                           \
  X(Matmul)                            \
  X(MatmulDescInit_internal)           \
  X(MatmulDescSetAttribute)            \
  X(MatrixLayoutInit_internal)         \
  X(MatrixLayoutSetAttribute)          \
  X(MatmulPreferenceInit_internal)     \
  X(MatmulPreferenceSetAttribute)      \
  X(MatmulAlgoGetHeuristic)            \
  X(MatmulAlgoConfigGetAttribute)      \
  X(MatmulAlgoCheck)

// A pointer per function: `Matmul` points to cublasLtMatmul().
struct CublasLibrary {
#define GRAPHBENCH_CUBLAS_POINTER(name) decltype(&::cublasLt##name) name = nullptr;
  GRAPHBENCH_CUBLAS_FUNCTIONS(GRAPHBENCH_CUBLAS_POINTER)
#undef GRAPHBENCH_CUBLAS_POINTER
};

// The library's functions; null until it is open. A global table, so that a call costs what a linked one
// does.
extern CublasLibrary cublas_lt;

// Opens the library unless it is open; `search` says where to look. Returns why it cannot be used, or "".
std::string open_cublas(LibrarySearch search);

// Throws Error(library_failed) with what was tried if the library cannot be opened.
void require_cublas(const char* object);

// "13.1.0", or "none (why)". Opens nothing.
std::string cublas_version_text();

}  // namespace graphbench::cuda
