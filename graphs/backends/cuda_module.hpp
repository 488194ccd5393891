// Chooses among the CUDA modules, which are built with different toolkits: graphbench_cuda12.so and
// graphbench_cuda13.so. A process loads one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace graphbench {

inline constexpr const char* cuda_module_variable = "GRAPHBENCH_CUDA_MODULE";

// What the choice depends on.
struct CudaModules {
  std::vector<int> built;  // the majors of CUDA of the modules in the folder, newest first
  int driver_version = 0;  // 12040
  std::string asked;       // the variable's value; empty if it is not set
  // For a lent step: the major whose runtime its process has loaded, such as PyTorch's; 0 if it has loaded
  // none.
  std::optional<int> lent;
  std::function<bool(int)> has_libraries;  // true if cuBLASLt of this major can be opened
};

struct CudaModuleChoice {
  int major = 0;        // 0: none
  std::string failure;  // why there is none
  std::string advice;
};

// The newest major that the driver runs and whose cuBLASLt is there; for a lent step the major of its
// process, if the driver runs that, else the newest. Throws Error(invalid_argument) if the variable has
// another value.
CudaModuleChoice choose_cuda_module(const CudaModules& modules);

// The file's name: "graphbench_cuda13.so".
std::string cuda_module_file(int major);

// The majors of the modules in a folder, newest first.
std::vector<int> cuda_modules_in(const std::string& folder);

// The major of the CUDA runtime (libcudart.so.N) that this process has loaded.
std::optional<int> loaded_cuda_major();

}  // namespace graphbench
