// The data that every device fills inputs, weights and state with. A counter-based generator gives element i
// the same bits on every device and in every order.
//
// The mixer is SplitMix64's finaliser (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014) over seed and index. It need not be cryptographic: the data is not zero, not
// constant and the same everywhere.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define GRAPHBENCH_HOST_DEVICE __host__ __device__
#else
#define GRAPHBENCH_HOST_DEVICE
#endif

namespace graphbench::ir {

GRAPHBENCH_HOST_DEVICE inline std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// The random bits of elements 2 * `pair` (the upper half) and 2 * `pair` + 1: mixing takes most of the time
// of a fill, and a KV cache has billions of elements.
GRAPHBENCH_HOST_DEVICE inline std::uint64_t bits_of_pair(std::uint64_t seed, std::uint64_t pair) {
  return mix64(seed ^ mix64(pair));
}

// Uniform in [low, high) from 24 random bits, exact in fp32. Narrower types round to nearest even.
GRAPHBENCH_HOST_DEVICE inline float uniform_of(std::uint32_t bits, float low, float high) {
  const float unit = static_cast<float>(bits >> 8) * (1.0f / 16777216.0f);
  // These are two rounded operations. A fused multiply-add would round once and differ in the last bit
  // between devices, so device code says so and host code is built with -ffp-contract=off.
#if defined(__CUDA_ARCH__)
  return __fadd_rn(low, __fmul_rn(high - low, unit));
#else
  return low + (high - low) * unit;
#endif
}

GRAPHBENCH_HOST_DEVICE inline float uniform_at(std::uint64_t seed, std::uint64_t index, float low,
                                               float high) {
  const std::uint64_t bits = bits_of_pair(seed, index / 2);
  return uniform_of(static_cast<std::uint32_t>(index % 2 == 0 ? bits >> 32 : bits), low, high);
}

// The summand of a digest for 32-bit word `index`. The sum wraps modulo 2^64, whatever the order of addition.
GRAPHBENCH_HOST_DEVICE inline std::uint64_t digest_word(std::uint64_t index, std::uint32_t word) {
  return mix64((index << 32) ^ (index >> 32) ^ word);
}

}  // namespace graphbench::ir
