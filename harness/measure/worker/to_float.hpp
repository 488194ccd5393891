// Converts downloaded tensors to fp32, and compares them.
#pragma once

#include <cstddef>
#include <vector>

#include "graphs/ir/types.hpp"

namespace graphbench::worker {

// Exact for all dtypes except large values of i32.
std::vector<float> to_float(ir::DType dtype, const std::vector<std::byte>& bytes);

// Compares with memcmp(), because operator== of vectors of std::byte is slower: it goes byte by byte.
bool same_bytes(const std::vector<std::byte>& a, const std::vector<std::byte>& b);

struct Difference {
  // over all elements; the largest double if one is not finite, because documents cannot contain infinity
  double largest = 0;
  // norm of the error over the norm of `expected`; infinite if the latter is 0 or an element is not finite
  double relative = 0;
};
Difference difference_of(ir::DType dtype, const std::vector<std::byte>& expected,
                         const std::vector<std::byte>& actual);

}  // namespace graphbench::worker
