// Converts 16-bit formats by their bit layouts (IEEE 754 binary16; bfloat16 is the upper half of fp32).
#include "harness/measure/worker/to_float.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "graphs/abi/graphbench_abi.h"

namespace graphbench::measure {
namespace {

template <typename T>
T load_value(const std::byte* bytes) {
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
      return load_value<float>(bytes);
    case ir::DType::fp16:
      return from_half(load_value<std::uint16_t>(bytes));
    case ir::DType::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(load_value<std::uint16_t>(bytes)) << 16);
    case ir::DType::i32:
      return static_cast<float>(load_value<std::int32_t>(bytes));
  }
  return 0;
}

// Checks the bits, because converting outputs of a hundred million elements to fp32 takes long.
template <typename Word>
std::optional<std::size_t> first_with(Word exponent, const std::vector<std::byte>& bytes) {
  const std::size_t count = bytes.size() / sizeof(Word);
  constexpr std::size_t block = 4096;  // elements; the inner loop has no branch, so compilers vectorise it
  for (std::size_t begin = 0; begin < count; begin += block) {
    Word words[block];
    const std::size_t here = std::min(block, count - begin);
    std::memcpy(words, bytes.data() + begin * sizeof(Word), here * sizeof(Word));
    std::size_t bad = 0;
    for (std::size_t i = 0; i < here; ++i) bad |= (words[i] & exponent) == exponent ? 1u : 0u;
    if (bad == 0) continue;
    const Word* const found =
        std::find_if(words, words + here, [&](Word word) { return (word & exponent) == exponent; });
    return begin + static_cast<std::size_t>(found - words);
  }
  return std::nullopt;
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

namespace {

template <typename T>
Difference difference_between(const std::vector<T>& wanted, const std::vector<T>& got) {
  double error = 0;
  double norm = 0;
  Difference difference;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // Rows of logits are masked with infinities.
    if (!std::isfinite(wanted[i]) && (wanted[i] == got[i] || (std::isnan(wanted[i]) && std::isnan(got[i]))))
      continue;
    const double by = std::abs(static_cast<double>(wanted[i]) - static_cast<double>(got[i]));
    if (!std::isfinite(by))
      return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    difference.largest = std::max(difference.largest, by);
    error += by * by;
    norm += static_cast<double>(wanted[i]) * static_cast<double>(wanted[i]);
  }
  difference.relative = norm > 0 ? std::sqrt(error / norm) : std::numeric_limits<double>::infinity();
  return difference;
}

std::vector<double> doubles_of(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

}  // namespace

Difference difference_of(ir::DType dtype, const std::vector<std::byte>& expected,
                         const std::vector<std::byte>& actual) {
  return difference_between(to_float(dtype, expected), to_float(dtype, actual));
}

std::optional<Difference> difference_of_step(std::int32_t dtype, const std::vector<std::byte>& expected,
                                             const std::vector<std::byte>& actual) {
  if (dtype == GB_FP64) return difference_between(doubles_of(expected), doubles_of(actual));
  if (dtype < GB_FP32 || dtype > GB_BF16) return std::nullopt;
  return difference_of(static_cast<ir::DType>(dtype), expected, actual);
}

std::optional<std::size_t> first_not_finite(ir::DType dtype, const std::vector<std::byte>& bytes) {
  switch (dtype) {
    case ir::DType::fp32:
      return first_with<std::uint32_t>(0x7F800000u, bytes);
    case ir::DType::fp16:
      return first_with<std::uint16_t>(0x7C00u, bytes);
    case ir::DType::bf16:
      return first_with<std::uint16_t>(0x7F80u, bytes);
    case ir::DType::i32:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace graphbench::measure
