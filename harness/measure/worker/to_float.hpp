// Downloaded tensors as fp32, for error figures.
#pragma once

#include <cstddef>
#include <vector>

#include "graphs/ir/types.hpp"

namespace graphbench::worker {

// Exact for every dtype but large i32.
std::vector<float> to_float(ir::DType dtype, const std::vector<std::byte>& bytes);

}  // namespace graphbench::worker
