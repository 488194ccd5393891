// Looks for a library of CUDA's at run time. Machines have them in different places: PyTorch's process has
// loaded its own, a toolkit is in a folder that the linker need not know, pip puts each into a package.
#pragma once

#include <string>

namespace graphbench {

// `loaded`: only among what this process has loaded, for processes in which nothing of ours may be needed.
enum class LibrarySearch { loaded, everywhere };

// Folders separated by colons. The launcher of the Python package sets it to those of NVIDIA's packages.
inline constexpr const char* library_folders_variable = "GRAPHBENCH_CUDA_LIBRARIES";

struct FoundLibrary {
  void* handle = nullptr;  // never closed, because CUDA's libraries keep threads and device state
  std::string why;         // what was tried, if there is no handle
};

// Tries `file`, such as "libcublasLt.so.13", among the loaded libraries, then by the linker's rules, in the
// folders of the variable, and in the toolkit's.
FoundLibrary open_library(const std::string& file, LibrarySearch search);

}  // namespace graphbench
