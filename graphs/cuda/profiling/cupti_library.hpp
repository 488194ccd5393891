// CUPTI, opened at run time and only for profiling: once loaded it may slow a process down.
#pragma once

#include <string>

#include "graphs/cuda/profiling/cupti_abi.hpp"

namespace graphbench::cuda {

// Null, with the reason and what would help in `why`, where libcupti cannot be opened or lacks a
// function. Opened once a process, at the first call.
const CuptiLibrary* cupti_library(std::string& why);

}  // namespace graphbench::cuda
