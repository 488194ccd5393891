// The host device's activity records: eager launches and graph nodes alike, and only while asked for.
#include <gtest/gtest.h>

#include "graphs/host/host_device.hpp"

namespace graphbench::host {
namespace {

TEST(HostProfiler, RecordsEagerLaunchesInOrder) {
  HostDevice device;
  const auto stream = device.make_stream();
  const auto kernel = device.make_empty_kernel();
  const ProfilerResult records = device.make_profiler();
  kernel->launch(*stream, nullptr);
  kernel->launch(*stream, nullptr);
  stream->synchronize();
  const std::vector<Activity> activities = records.profiler->collect();
  ASSERT_EQ(activities.size(), 2u);
  EXPECT_EQ(activities[0].name, "empty");
  EXPECT_LE(activities[0].start_seconds, activities[0].end_seconds);
  EXPECT_LE(activities[0].end_seconds, activities[1].start_seconds);
  EXPECT_TRUE(records.profiler->collect().empty());
}

TEST(HostProfiler, RecordsEveryNodeOfAReplay) {
  HostDevice device;
  const auto stream = device.make_stream();
  const auto kernel = device.make_empty_kernel();
  stream->begin_capture();
  for (int i = 0; i < 3; ++i) kernel->launch(*stream, nullptr);
  const auto exec = stream->end_capture()->instantiate();
  const ProfilerResult records = device.make_profiler();
  exec->launch(*stream);
  stream->synchronize();
  EXPECT_EQ(records.profiler->collect().size(), 3u);
}

TEST(HostProfiler, EndsWithItsOwner) {
  HostDevice device;
  { const ProfilerResult records = device.make_profiler(); }
  EXPECT_EQ(device.recorder(), nullptr);
}

TEST(HostStream, SynchronizesAsleepToo) {
  HostDevice device;
  const auto stream = device.make_stream();
  std::vector<unsigned char> memory(1 << 20, 0);
  stream->fill_bytes(memory.data(), 7, memory.size());
  stream->synchronize_blocking();
  EXPECT_EQ(memory.back(), 7);
}

}  // namespace
}  // namespace graphbench::host
