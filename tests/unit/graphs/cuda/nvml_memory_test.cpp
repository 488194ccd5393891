// What this process uses, against a table of functions of its own: no GPU, no driver.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "graphs/cuda/nvml.hpp"

namespace graphbench::cuda {
namespace {

std::vector<NvmlProcess> listed;
unsigned long long free_now = 0;

class NvmlMemoryTest : public ::testing::Test {
 protected:
  NvmlMemoryTest() {
    listed = {{.pid = 7, .used_bytes = 70}};
    free_now = 1000;
    library_.memory_info = [](NvmlDevice, NvmlMemoryInfo* info) {
      return info->free = free_now, nvml_success;
    };
    library_.compute_processes = [](NvmlDevice, unsigned* count, NvmlProcess* list) {
      *count = static_cast<unsigned>(listed.size());
      std::ranges::copy(listed, list);
      return nvml_success;
    };
  }
  void expect(NvmlMemory& memory, std::size_t bytes, bool of_process) {
    const std::optional<MemoryUse> use = memory.read();
    ASSERT_TRUE(use.has_value());
    EXPECT_EQ(use->bytes, bytes);
    EXPECT_EQ(use->of_process, of_process);
  }
  NvmlLibrary library_;
};

TEST_F(NvmlMemoryTest, IsTheFigureOfTheProcessThatCameWithTheContext) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 4'000'000, .used_bytes = 500});  // as a container's host calls it
  expect(memory, 500, true);
  listed = {{.pid = 9, .used_bytes = 1}, {.pid = 4'000'000, .used_bytes = 600}};
  expect(memory, 600, true);
  listed.pop_back();
  EXPECT_FALSE(memory.read().has_value());
}

TEST_F(NvmlMemoryTest, IsOfItsOwnNumberWhereSeveralCame) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = 1});
  listed.push_back({.pid = static_cast<unsigned>(getpid()), .used_bytes = 500});
  expect(memory, 500, true);
}

TEST_F(NvmlMemoryTest, IsWhatTheDeviceLostWhereNoProcessCanBeTold) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = 1});
  listed.push_back({.pid = 4'000'000, .used_bytes = 500});
  free_now = 400;
  expect(memory, 600, false);
  listed.pop_back();
  free_now = 300;
  expect(memory, 700, false);  // a figure does not change its meaning half way
}

TEST_F(NvmlMemoryTest, AFigureThatNvmlDoesNotGiveIsNone) {
  NvmlMemory memory(library_, nullptr);
  listed.push_back({.pid = 8, .used_bytes = nvml_not_available});
  expect(memory, 0, false);
  library_.memory_info = [](NvmlDevice, NvmlMemoryInfo*) { return 3; };
  EXPECT_FALSE(memory.read().has_value());
}

}  // namespace
}  // namespace graphbench::cuda
