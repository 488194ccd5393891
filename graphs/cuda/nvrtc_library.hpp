// NVRTC, opened at run time: a compiler of CUDA C++ that belongs to the toolkit.
#pragma once

#include <string>

namespace graphbench::cuda {

struct Compiled {
  std::string cubin;
  std::string why_not;  // not empty: NVRTC is not there, or does not belong to the kernels of this build
};

// `architecture`: "sm_90". Nothing in `source` is contracted. Throws Error(internal), with what the compiler
// says, where it does not compile.
Compiled compile(const std::string& source, const std::string& architecture);

// What the code depends on beside its source and the architecture.
std::string nvrtc_version();  // "NVRTC 13.0", that of this build
std::string nvrtc_options();  // without the architecture

}  // namespace graphbench::cuda
