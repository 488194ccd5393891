// NVRTC, opened at run time: a compiler of CUDA C++ that belongs to the toolkit.
#pragma once

#include <string>
#include <string_view>

#include "graphs/device/instruments.hpp"

namespace graphbench::cuda {

struct Compiled {
  std::string code;
  std::string why_not;  // not empty: NVRTC is not there, or does not belong to the kernels of this build
};

// `architecture`: "sm_90", which gives a cubin; or "compute_90", which gives PTX. Nothing in `source` is
// contracted. Throws Error(internal), with what the compiler says, where it does not compile.
Compiled compile(const std::string& source, const std::string& architecture);

bool is_intermediate(std::string_view architecture);  // PTX's
// Whether its code can wait for kernels ahead of it that have not ended. Code for older architectures
// cannot, even on a newer device: it must not be launched early.
bool can_wait_for_kernels_ahead(std::string_view architecture);
// Whether what was kept is of the kind that compile() gives for the architecture.
bool is_code(std::string_view kept, std::string_view architecture);

// What it makes code for: "sm_80", ...
CodeTargets nvrtc_targets();

// What the code depends on beside its source and the architecture.
std::string nvrtc_version();  // "NVRTC 13.0", that of this build
std::string nvrtc_options();  // without the architecture

}  // namespace graphbench::cuda
