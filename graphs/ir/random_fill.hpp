// Generates the data of inputs, weights and state. The generator is counter-based, so element i has the same
// bits on every device and in every order of computation. The mixer is the finaliser of SplitMix64 (Steele,
// Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014) over seed and index.
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

// The random bits of element 2 * `pair` (upper half) and of the next element (lower half). One call serves
// two elements, because mixing dominates the time to fill a KV cache of billions of elements.
GRAPHBENCH_HOST_DEVICE inline std::uint64_t bits_of_pair(std::uint64_t seed, std::uint64_t pair) {
  return mix64(seed ^ mix64(pair));
}

// Uniform in [low, high), from 24 random bits, exact in fp32. Narrower types round to nearest even.
GRAPHBENCH_HOST_DEVICE inline float uniform_of(std::uint32_t bits, float low, float high) {
  const float unit = static_cast<float>(bits >> 8) * (1.0f / 16777216.0f);
  // Rounds twice on every device. A fused multiply-add would round once, and the last bit could differ.
  // Device code uses intrinsics for this, and host code is built with -ffp-contract=off.
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

// The summand for 32-bit word `index` of a digest. The digest is the sum modulo 2^64, in any order.
GRAPHBENCH_HOST_DEVICE inline std::uint64_t digest_word(std::uint64_t index, std::uint32_t word) {
  return mix64((index << 32) ^ (index >> 32) ^ word);
}

}  // namespace graphbench::ir
