// NaNs and infinities in downloaded tensors.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graphs/ir/types.hpp"

namespace graphbench::worker {

// The first element of `bytes` that is a NaN or an infinity: all bits of the exponent set (IEEE 754; bfloat16
// has fp32's). No i32 is.
std::optional<std::size_t> first_not_finite(ir::DType dtype, const std::vector<std::byte>& bytes);

}  // namespace graphbench::worker
