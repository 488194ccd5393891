// That long blocks never come from where short ones live.
#include "harness/service/serve/steady_heap.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>

namespace graphbench::serve {
namespace {

TEST(SteadyHeap, LongBlocksHaveMappingsOfTheirOwnAlsoAfterLongerOnesWereFreed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator is in the place of glibc's";
#endif
  make_heap_steady();
  // By default glibc takes from its heap from here on whatever is shorter.
  std::make_unique<char[]>(16 * 1024 * 1024).reset();
  const std::size_t before = mallinfo2().hblks;
  const auto block = std::make_unique<char[]>(1024 * 1024);
  EXPECT_EQ(mallinfo2().hblks, before + 1) << static_cast<const void*>(block.get());
}

}  // namespace
}  // namespace graphbench::serve
