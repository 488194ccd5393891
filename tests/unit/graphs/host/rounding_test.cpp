// bf16 rounds to nearest even, and positions beyond a cache are an error, not a write beyond it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "graphs/host/bfloat16.hpp"
#include "graphs/host/host_device.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::host {
namespace {

std::uint16_t bits_of(float value) {
  return from_float<BFloat16>(value).bits;
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(bits_of(1.0f), 0x3F80);
  EXPECT_EQ(bits_of(std::bit_cast<float>(0x3F808000u)), 0x3F80);  // half way, down to even
  EXPECT_EQ(bits_of(std::bit_cast<float>(0x3F818000u)), 0x3F82);  // half way, up to even
  EXPECT_EQ(bits_of(std::bit_cast<float>(0x3F808001u)), 0x3F81);
  EXPECT_EQ(bits_of(std::numeric_limits<float>::max()), 0x7F80);  // rounds up to infinity
  EXPECT_EQ(bits_of(-0.0f), 0x8000);
}

TEST(BFloat16, KeepsWhatIsNoNumber) {
  EXPECT_TRUE(std::isnan(to_float(from_float<BFloat16>(std::nanf("")))));
  EXPECT_TRUE(std::isnan(to_float(from_float<BFloat16>(std::bit_cast<float>(0x7F800001u)))));
  EXPECT_TRUE(std::isinf(to_float(from_float<BFloat16>(HUGE_VALF))));
}

TEST(RopeKvAppend, APositionBeyondTheCacheIsRefused) {
  const ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const auto qkv = b.input("qkv", test::batched({6})), at = b.integers("at");
  const auto k = b.state("k", test::batched({1, 4, 2})), v = b.state("v", test::batched({1, 4, 2}));
  const ir::Attributes attributes{{"heads", std::int64_t{1}}, {"head_dim", std::int64_t{2}}};
  const ir::Program program = b.ending_in(b.one("rope_kv_append", "rope", {qkv, at, k, v}, attributes));

  HostDevice device;
  const auto kernel = device.make_kernel(program.call(0, 2));
  const auto stream = device.make_stream();
  std::vector<float> rows(12), k_cache(16), v_cache(16), q(4);
  std::int32_t positions[2] = {3, 4};
  void* operands[] = {rows.data(), positions, k_cache.data(), v_cache.data(), q.data()};
  kernel->launch(*stream, operands);
  EXPECT_THROW(stream->synchronize(), Error);
}

}  // namespace
}  // namespace graphbench::host
