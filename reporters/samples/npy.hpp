// One NumPy array in its file format, version 1.0 (numpy.lib.format's published description): a magic
// string, a header that names type, order and shape, then the elements, little-endian.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace graphbench::reporters {

// One-dimensional arrays.
std::string npy_of(const std::vector<double>& values);
std::string npy_of(const std::vector<std::int64_t>& values);
std::string npy_of(const std::vector<std::int32_t>& values);
std::string npy_of(const std::vector<std::uint8_t>& values);
// Texts become fixed-width bytes ('S'), padded with NUL.
std::string npy_of(const std::vector<std::string>& values);

}  // namespace graphbench::reporters
