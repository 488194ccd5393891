// Header and elements of NumPy arrays.
#include "reporters/samples/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace graphbench::reporters {
namespace {

static_assert(std::endian::native == std::endian::little, "the elements are written as they lie in memory");

// The header is padded so that the elements begin at a multiple of 64 bytes and ends in a newline.
std::string header(const std::string& type, std::size_t count) {
  std::string text =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  constexpr std::size_t fixed_bytes = 10;
  text.append(63 - (fixed_bytes + text.size()) % 64, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xFF);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

template <typename T>
std::string array(const std::string& type, const std::vector<T>& values) {
  std::string file = header(type, values.size());
  const std::size_t begin = file.size();
  file.resize(begin + values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(file.data() + begin, values.data(), values.size() * sizeof(T));
  return file;
}

}  // namespace

std::string npy_of(const std::vector<double>& values) {
  return array("<f8", values);
}
std::string npy_of(const std::vector<std::int64_t>& values) {
  return array("<i8", values);
}
std::string npy_of(const std::vector<std::int32_t>& values) {
  return array("<i4", values);
}
std::string npy_of(const std::vector<std::uint8_t>& values) {
  return array("|u1", values);
}

std::string npy_of(const std::vector<std::string>& values) {
  std::size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  std::string file = header("|S" + std::to_string(width), values.size());
  for (const std::string& value : values) {
    file += value;
    file.append(width - value.size(), '\0');
  }
  return file;
}

}  // namespace graphbench::reporters
