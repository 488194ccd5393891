// Random bits from counters: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). The same bits on every device, in any order, again at any time.
#pragma once

#include <cstdint>

#include "graphs/ir/random_fill.hpp"

namespace graphbench::ir {

struct FourWords {
  std::uint32_t word[4];
};

GRAPHBENCH_HOST_DEVICE inline FourWords philox(FourWords counter, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  std::uint32_t* const c = counter.word;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c[2];
    c[0] = static_cast<std::uint32_t>(product1 >> 32) ^ c[1] ^ key0;
    c[1] = static_cast<std::uint32_t>(product1);
    c[2] = static_cast<std::uint32_t>(product0 >> 32) ^ c[3] ^ key1;
    c[3] = static_cast<std::uint32_t>(product0);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

// What an op `dropout` does to its elements, four at a time.
struct DropoutRule {
  std::uint64_t stream;     // the op's own: the key
  std::uint32_t threshold;  // a word below it drops its element
  float scale;              // of those that stay

  DropoutRule(double p, std::int64_t stream_number)
      : stream(static_cast<std::uint64_t>(stream_number)),
        threshold(static_cast<std::uint32_t>(p * 4294967296.0)),
        scale(static_cast<float>(1 / (1 - p))) {}

  // The words of elements 4 * `four` and the three behind it, in the step `count`.
  GRAPHBENCH_HOST_DEVICE FourWords words(std::int64_t four, std::int32_t count) const {
    return philox({{static_cast<std::uint32_t>(four), static_cast<std::uint32_t>(four >> 32),
                    static_cast<std::uint32_t>(count), 0}},
                  stream);
  }
  GRAPHBENCH_HOST_DEVICE float apply(float x, std::uint32_t word) const {
    return word < threshold ? 0.0f : x * scale;
  }
};

}  // namespace graphbench::ir
