// Converts downloaded tensors to fp32, to compute errors.
#pragma once

#include <cstddef>
#include <vector>

#include "graphs/ir/types.hpp"

namespace graphbench::worker {

// Exact for all dtypes except large values of i32.
std::vector<float> to_float(ir::DType dtype, const std::vector<std::byte>& bytes);

}  // namespace graphbench::worker
