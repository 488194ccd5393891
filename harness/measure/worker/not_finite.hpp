// Finds NaNs and infinities in downloaded tensors.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graphs/ir/types.hpp"

namespace graphbench::worker {

// The index of the first NaN or infinity in `bytes`: an element with all exponent bits set (IEEE 754;
// bfloat16 has the exponent of fp32). Absent if there is none, and for i32.
std::optional<std::size_t> first_not_finite(ir::DType dtype, const std::vector<std::byte>& bytes);

}  // namespace graphbench::worker
