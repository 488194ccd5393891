// Converts downloaded tensors to fp32, compares them, and finds NaNs and infinities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graphs/ir/types.hpp"

namespace graphbench::measure {

// Exact for all dtypes except large values of i32.
std::vector<float> to_float(ir::DType dtype, const std::vector<std::byte>& bytes);

// Compares with memcmp(), because operator== of vectors of std::byte is slower: it goes byte by byte.
bool same_bytes(const std::vector<std::byte>& a, const std::vector<std::byte>& b);

struct Difference {
  double largest = 0;  // over all elements; infinite if a difference is not finite
  // norm of the error over the norm of `expected`, both of what is finite; infinite if that norm is 0, or a
  // NaN or an infinity is not the same on both sides
  double relative = 0;
};
Difference difference_of(ir::DType dtype, const std::vector<std::byte>& expected,
                         const std::vector<std::byte>& actual);

// Compares by the `dtype` of a gb_step_output. Absent for integers and GB_OTHER, whose bits are compared.
std::optional<Difference> difference_of_step(std::int32_t dtype, const std::vector<std::byte>& expected,
                                             const std::vector<std::byte>& actual);

// The index of the first NaN or infinity in `bytes`: an element with all exponent bits set (IEEE 754;
// bfloat16 has the exponent of fp32). Absent if there is none, and for i32.
std::optional<std::size_t> first_not_finite(ir::DType dtype, const std::vector<std::byte>& bytes);

}  // namespace graphbench::measure
