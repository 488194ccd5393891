// Widening against values worked out from the formats' definitions, and bit patterns on either side of what
// is finite.
#include "harness/measure/worker/to_float.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "harness/measure/worker/not_finite.hpp"

namespace graphbench::worker {
namespace {

template <typename T>
std::vector<float> widened(ir::DType dtype, const std::vector<T>& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(T));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return to_float(dtype, bytes);
}

TEST(ToFloat, WidensHalf) {
  const auto values =
      widened<std::uint16_t>(ir::DType::fp16, {0x3C00, 0xC000, 0x0001, 0x03FF, 0x7BFF, 0x8000});
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.0f);
  EXPECT_EQ(values[2], std::ldexp(1.0f, -24));
  EXPECT_EQ(values[3], std::ldexp(1023.0f, -24));
  EXPECT_EQ(values[4], 65504.0f);
  EXPECT_TRUE(std::signbit(values[5]));
}

TEST(ToFloat, KeepsNansAndInfinitiesOfHalf) {
  const auto values = widened<std::uint16_t>(ir::DType::fp16, {0x7C00, 0xFC00, 0xFFFF});
  EXPECT_EQ(values[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST(ToFloat, WidensBfloat16) {
  const auto values = widened<std::uint16_t>(ir::DType::bf16, {0x3F80, 0xC049, 0xFFFF});
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -3.140625f);
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST(ToFloat, CopiesFp32AndConvertsI32) {
  EXPECT_EQ(widened<float>(ir::DType::fp32, {0.5f})[0], 0.5f);
  EXPECT_EQ(widened<std::int32_t>(ir::DType::i32, {-7})[0], -7.0f);
}

template <typename T>
std::optional<std::size_t> found(ir::DType dtype, const std::vector<T>& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(T));
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return first_not_finite(dtype, bytes);
}

TEST(NotFinite, TheLargestOfAFormatIsFiniteAndWhatFollowsIsNot) {
  EXPECT_FALSE(found<std::uint16_t>(ir::DType::fp16, {0x0000, 0x7BFF, 0xFBFF, 0x8000}));
  EXPECT_EQ(found<std::uint16_t>(ir::DType::fp16, {0x3C00, 0x7C00}), 1u);
  EXPECT_EQ(found<std::uint16_t>(ir::DType::fp16, {0xFC01}), 0u);
  EXPECT_FALSE(found<std::uint16_t>(ir::DType::bf16, {0x7F7F, 0xFF7F, 0x7C00}));
  EXPECT_EQ(found<std::uint16_t>(ir::DType::bf16, {0x3F80, 0x3F80, 0x7F80}), 2u);
  EXPECT_EQ(found<std::uint16_t>(ir::DType::bf16, {0xFFFF}), 0u);
  EXPECT_FALSE(found<std::uint32_t>(ir::DType::fp32, {0x7F7FFFFFu, 0xFF7FFFFFu}));
  EXPECT_EQ(found<std::uint32_t>(ir::DType::fp32, {0xFF800000u}), 0u);
  EXPECT_EQ(found<std::uint32_t>(ir::DType::fp32, {0u, 0x7FC00001u}), 1u);
  EXPECT_FALSE(found<std::int32_t>(ir::DType::i32, {-1, 0x7F800000}));
  EXPECT_FALSE(found<std::uint16_t>(ir::DType::bf16, {}));
}

TEST(NotFinite, TheFirstIsFoundWhereverItLies) {
  for (const std::size_t at : {0u, 1u, 4095u, 4096u, 4097u, 9999u}) {
    std::vector<std::uint16_t> words(10000, 0x3F80);
    words[at] = 0x7F80;
    words.back() = 0x7FC0;
    EXPECT_EQ(found(ir::DType::bf16, words), at);
  }
}

}  // namespace
}  // namespace graphbench::worker
