// Tests that a Buffer frees its memory exactly once, however buffers are moved.
#include <gtest/gtest.h>

#include <utility>

#include "tests/support/fake_device.hpp"

namespace graphbench {
namespace {

TEST(Buffer, FreesItsMemoryOnce) {
  test::FakeDevice device;
  {
    Buffer first(device, 1000);
    EXPECT_EQ(first.bytes(), 1000u);
    Buffer second(std::move(first));
    EXPECT_EQ(device.log.live_allocations, 1);
    EXPECT_EQ(first.data(), nullptr);  // NOLINT: reads a moved-from buffer, which is documented to be empty
  }
  EXPECT_EQ(device.log.live_allocations, 0);
}

TEST(Buffer, AssigningFreesWhatWasHeld) {
  test::FakeDevice device;
  Buffer held(device, 1);
  Buffer other(device, 2);
  const void* data = other.data();
  held = std::move(other);
  EXPECT_EQ(device.log.live_allocations, 1);
  EXPECT_EQ(held.data(), data);
  EXPECT_EQ(held.bytes(), 2u);
  held = Buffer();
  EXPECT_EQ(device.log.live_allocations, 0);
}

TEST(Buffer, AFailedAllocationLeavesNothing) {
  test::FakeDevice device;
  EXPECT_THROW(Buffer(device, device.memory_limit + 1), Error);
  EXPECT_EQ(device.log.live_allocations, 0);
}

TEST(Buffer, IsBookedByWhatItIsForAsLongAsItLives) {
  test::FakeDevice device;
  const MemoryTally& tally = device.tally();
  Buffer program(device, 1000);
  {
    const Buffer tuning(device, 300, MemoryKind::tuning);
    Buffer moved(device, 500);
    program = std::move(moved);
    EXPECT_EQ(tally.now(MemoryKind::program), 500u);
    EXPECT_EQ(tally.total(), 800u);
  }
  EXPECT_EQ(tally.now(MemoryKind::tuning), 0u);
  EXPECT_EQ(tally.most(MemoryKind::tuning), 300u);
  EXPECT_EQ(tally.most(MemoryKind::program), 1500u);
  EXPECT_EQ(tally.total(), 500u);
  const Tallied weights(device.tally(), MemoryKind::weights, 400);
  EXPECT_EQ(tally.total(), 500u) << "weights are of the program";
  EXPECT_THROW(Buffer(device, device.memory_limit + 1), Error);
  EXPECT_EQ(tally.total(), 500u);
}

}  // namespace
}  // namespace graphbench
