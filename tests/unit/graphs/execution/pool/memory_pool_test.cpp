// Tests how the pool finds, splits, merges and counts blocks, and what happens if the device refuses memory.
#include "graphs/execution/pool/memory_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "tests/support/fake_device.hpp"

namespace graphbench::execution {
namespace {

class PoolTest : public ::testing::Test {
 protected:
  test::FakeDevice device_;
  MemoryPool pool_{device_};
};

TEST_F(PoolTest, ReservesInTheDevicesGranularity) {
  pool_.allocate(1);
  EXPECT_EQ(pool_.statistics().reserved_bytes, 4096u);
  EXPECT_EQ(pool_.statistics().in_use_bytes, block_alignment);
}

TEST_F(PoolTest, ReusesAFreedBlock) {
  Block* first = pool_.allocate(3000);
  const std::byte* address = first->data;
  pool_.release(first);
  EXPECT_EQ(pool_.allocate(3000)->data, address);
  EXPECT_EQ(device_.log.allocations, 1);
}

TEST_F(PoolTest, TakesTheSmallestBlockThatFits) {
  Block* large = pool_.allocate(8192);
  Block* small = pool_.allocate(4096);
  const std::byte* address = small->data;
  pool_.release(large);
  pool_.release(small);
  EXPECT_EQ(pool_.allocate(4096)->data, address);
}

TEST_F(PoolTest, CutsABlockAndJoinsItAgain) {
  pool_.release(pool_.allocate(4096));
  Block* a = pool_.allocate(1024);
  Block* b = pool_.allocate(1024);
  Block* c = pool_.allocate(2048);
  EXPECT_EQ(device_.log.allocations, 1);
  pool_.release(a);
  pool_.release(c);
  pool_.release(b);
  ASSERT_EQ(pool_.free_ranges().size(), 1u);
  EXPECT_EQ(pool_.free_ranges()[0].bytes, 4096u);
  EXPECT_EQ(pool_.statistics().in_use_bytes, 0u);
}

TEST_F(PoolTest, RemembersTheMostThatWasInUse) {
  Block* a = pool_.allocate(4096);
  Block* b = pool_.allocate(4096);
  pool_.release(a);
  pool_.release(b);
  pool_.allocate(512);
  EXPECT_EQ(pool_.statistics().in_use_bytes_max, 8192u);
}

TEST_F(PoolTest, TrimReturnsOnlyWhatIsWhollyFree) {
  Block* a = pool_.allocate(4096);
  pool_.allocate(512);
  pool_.release(a);
  pool_.trim();
  EXPECT_EQ(device_.log.live_allocations, 1);
  EXPECT_EQ(pool_.statistics().reserved_bytes, 4096u);
  EXPECT_EQ(pool_.statistics().segments, 1u);
}

TEST_F(PoolTest, RefusalByTheDeviceLeavesThePoolAsItWas) {
  pool_.release(pool_.allocate(4096));
  device_.log.fail_at = device_.log.calls + 1;
  EXPECT_THROW(pool_.allocate(100000), Error);
  EXPECT_EQ(pool_.statistics().reserved_bytes, 4096u);
  EXPECT_EQ(pool_.free_ranges().size(), 1u);
  EXPECT_NE(pool_.allocate(4096), nullptr);
}

TEST_F(PoolTest, ASizeThatOverflowsIsOutOfMemory) {
  EXPECT_THROW(pool_.allocate(~std::size_t{0}), Error);
}

TEST_F(PoolTest, DestructionReturnsEverything) {
  {
    MemoryPool pool(device_);
    pool.allocate(5000);
    pool.allocate(50000);
  }
  EXPECT_EQ(device_.log.live_allocations, 0);
}

TEST_F(PoolTest, LiveBlocksNeverOverlap) {
  std::mt19937 random(7);
  std::vector<Block*> live;
  for (int step = 0; step < 4000; ++step) {
    if (live.empty() || random() % 5 < 3) {
      Block* block = pool_.allocate(1 + random() % 20000);
      std::memset(block->data, static_cast<int>(step & 0xFF), block->bytes);
      for (const Block* other : live)
        ASSERT_TRUE(other->data + other->bytes <= block->data || block->data + block->bytes <= other->data);
      live.push_back(block);
    } else {
      const std::size_t which = random() % live.size();
      pool_.release(live[which]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  for (Block* block : live) pool_.release(block);
  EXPECT_EQ(pool_.free_ranges().size(), pool_.statistics().segments);
  EXPECT_EQ(pool_.statistics().in_use_bytes, 0u);
}

// A ladder's pattern: blocks of one batch, all released, then blocks half as large. No more is reserved.
TEST_F(PoolTest, SmallerBatchesFitIntoTheLargestOnes) {
  const auto run = [&](std::size_t scale) {
    Block* x = pool_.allocate(1024 * scale);
    for (int layer = 0; layer < 8; ++layer) {
      Block* norm = pool_.allocate(1024 * scale);
      Block* wide = pool_.allocate(4096 * scale);
      pool_.release(norm);
      Block* y = pool_.allocate(1024 * scale);
      pool_.release(wide);
      pool_.release(x);
      x = y;
    }
    pool_.release(x);
  };
  run(256);
  const std::size_t reserved = pool_.statistics().reserved_bytes;
  for (std::size_t scale = 128; scale > 0; scale /= 2) run(scale);
  EXPECT_EQ(pool_.statistics().reserved_bytes, reserved);
}

}  // namespace
}  // namespace graphbench::execution
