// Converts between bf16 in memory and fp32 in registers, rounding to nearest even.
#pragma once

#include <bit>
#include <cstdint>

namespace graphbench::host {

struct BFloat16 {
  std::uint16_t bits = 0;
};

inline float to_float(float value) {
  return value;
}
inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

template <typename T>
T from_float(float value);

template <>
inline float from_float<float>(float value) {
  return value;
}

template <>
inline BFloat16 from_float<BFloat16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // A NaN keeps its sign and becomes quiet: rounding its payload could give infinity.
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x0040u)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

}  // namespace graphbench::host
