// Converts 16-bit formats by their bit layouts (IEEE 754 binary16; bfloat16 is the upper half of fp32).
#include "harness/measure/worker/to_float.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace graphbench::worker {
namespace {

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

float from_half(std::uint16_t half) {
  const bool negative = (half & 0x8000u) != 0;
  const int exponent = (half >> 10) & 0x1F;
  const int mantissa = half & 0x3FF;
  float magnitude = 0;
  if (exponent == 0x1F) {
    magnitude =
        mantissa == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
  }
  return negative ? -magnitude : magnitude;
}

float element(ir::DType dtype, const std::byte* bytes) {
  switch (dtype) {
    case ir::DType::fp32:
      return load<float>(bytes);
    case ir::DType::fp16:
      return from_half(load<std::uint16_t>(bytes));
    case ir::DType::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(bytes)) << 16);
    case ir::DType::i32:
      return static_cast<float>(load<std::int32_t>(bytes));
  }
  return 0;
}

}  // namespace

std::vector<float> to_float(ir::DType dtype, const std::vector<std::byte>& bytes) {
  const std::size_t width = ir::size_of(dtype);
  std::vector<float> values(bytes.size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element(dtype, bytes.data() + i * width);
  return values;
}

bool same_bytes(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

Difference difference_of(ir::DType dtype, const std::vector<std::byte>& expected,
                         const std::vector<std::byte>& actual) {
  const std::vector<float> wanted = to_float(dtype, expected);
  const std::vector<float> got = to_float(dtype, actual);
  double error = 0;
  double norm = 0;
  Difference difference;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double by = std::abs(static_cast<double>(wanted[i]) - static_cast<double>(got[i]));
    if (!std::isfinite(by))
      return {std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()};
    difference.largest = std::max(difference.largest, by);
    error += by * by;
    norm += static_cast<double>(wanted[i]) * static_cast<double>(wanted[i]);
  }
  difference.relative = norm > 0 ? std::sqrt(error / norm) : std::numeric_limits<double>::infinity();
  return difference;
}

}  // namespace graphbench::worker
