// Opens libcublasLt.so of this module's CUDA, and resolves the functions that cublas_library.hpp lists.
#include "graphs/cuda/cublas_library.hpp"

#include <dlfcn.h>

#include "graphs/base/error.hpp"
#include "graphs/cuda/runtime_names.hpp"

namespace graphbench::cuda {

CublasLibrary cublas_lt;

namespace {

bool cublas_is_open = false;

std::string resolve(void* handle, const std::string& file) {
  CublasLibrary found;
#define GRAPHBENCH_CUBLAS_RESOLVE(name)                                                 \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(handle, "cublasLt" #name)); \
  if (found.name == nullptr) return file + " lacks cublasLt" #name ": the library is too old";
  GRAPHBENCH_CUBLAS_FUNCTIONS(GRAPHBENCH_CUBLAS_RESOLVE)
#undef GRAPHBENCH_CUBLAS_RESOLVE
  cublas_lt = found;
  cublas_is_open = true;
  return "";
}

}  // namespace

std::string open_cublas(LibrarySearch search) {
  if (cublas_is_open) return "";
  const std::string file = "libcublasLt.so." + std::to_string(cuda_major);
  const FoundLibrary found = open_library(file, search);
  return found.handle == nullptr ? found.why : resolve(found.handle, file);
}

void require_cublas(const char* object) {
  const std::string why = open_cublas(LibrarySearch::everywhere);
  if (why.empty()) return;
  throw Error(ErrorCode::library_failed, "prepare " + std::string(object) + ": " + why +
                                             "; install cuBLAS of CUDA " + std::to_string(cuda_major) +
                                             ", or name its folder in " + library_folders_variable);
}

std::string cublas_version_text() {
  if (!cublas_is_open) return "none (not found)";
  const std::size_t version = cublas_lt.GetVersion();
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace graphbench::cuda
