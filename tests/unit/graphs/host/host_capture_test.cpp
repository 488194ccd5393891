// Captures of the host device: what cannot be recorded, from which thread, what a replay is; and its
// activity records, of eager launches and graph nodes alike.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "graphs/host/host_device.hpp"
#include "graphs/host/host_stream.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::host {
namespace {

class HostCaptureTest : public ::testing::Test {
 protected:
  HostCaptureTest() : buffer_(device_, 4096), event_(device_.make_event()) {}

  ErrorCode code_of(const std::function<void()>& call) { return test::error_of(call).code(); }
  std::unique_ptr<GraphExec> fill_exec(int byte) {
    stream_.begin_capture();
    stream_.fill_bytes(buffer_.data(), byte, 4096);
    return stream_.end_capture()->instantiate();
  }
  int first_byte() { return *static_cast<unsigned char*>(buffer_.data()); }

  HostDevice device_;
  Buffer buffer_;
  std::unique_ptr<Event> event_;
  HostStream stream_{device_};
};

TEST_F(HostCaptureTest, WhatNoGraphCanHoldIsRefusedAndInvalidates) {
  unsigned char byte = 0;
  const auto exec = fill_exec(1);
  const std::function<void()> forbidden[] = {
      [&] { stream_.synchronize(); },
      [&] { stream_.copy_to_host(&byte, buffer_.data(), 1); },
      [&] { stream_.copy_to_device(buffer_.data(), &byte, 1); },
      [&] { event_->record(stream_); },
      [&] { exec->launch(stream_); },
      [&] { exec->upload(stream_); },
      [&] { device_.digest(stream_, buffer_.data(), 4096); },
  };
  for (const auto& call : forbidden) {
    stream_.begin_capture();
    EXPECT_EQ(code_of(call), ErrorCode::capture_unsupported);
    EXPECT_EQ(code_of([&] { stream_.fill_bytes(buffer_.data(), 1, 1); }), ErrorCode::capture_invalidated);
    EXPECT_EQ(code_of([&] { stream_.end_capture(); }), ErrorCode::capture_invalidated);
    EXPECT_FALSE(stream_.capturing());
  }
  fill_exec(6)->launch(stream_);
  stream_.synchronize();
  EXPECT_EQ(first_byte(), 6);
}

TEST_F(HostCaptureTest, EndingFromAnotherThreadIsRefused) {
  stream_.begin_capture();
  ErrorCode code = ErrorCode::internal;
  std::thread([&] { code = code_of([&] { stream_.end_capture(); }); }).join();
  EXPECT_EQ(code, ErrorCode::capture_wrong_thread);
  EXPECT_EQ(code_of([&] { stream_.end_capture(); }), ErrorCode::capture_invalidated);
}

TEST_F(HostCaptureTest, EndingNoCaptureIsUnmatched) {
  EXPECT_EQ(code_of([&] { stream_.end_capture(); }), ErrorCode::capture_unmatched);
}

TEST_F(HostCaptureTest, FillsOfRandomDataAreRecordedToo) {
  stream_.fill_bytes(buffer_.data(), 0, 4096);
  stream_.begin_capture();
  device_.fill(stream_, buffer_.data(), ir::DType::fp32, 1024, {ir::Init::Kind::constant, 1.0, 1.0}, 1);
  const auto graph = stream_.end_capture();
  stream_.synchronize();
  EXPECT_EQ(*static_cast<float*>(buffer_.data()), 0.0f);
  graph->instantiate()->launch(stream_);
  stream_.synchronize();
  EXPECT_EQ(*static_cast<float*>(buffer_.data()), 1.0f);
}

TEST_F(HostCaptureTest, AnExecMayBeDestroyedWhileItsReplaysAreEnqueued) {
  for (int round = 0; round < 50; ++round) {
    const auto exec = fill_exec(round);
    for (int i = 0; i < 20; ++i) exec->launch(stream_);
  }
  stream_.synchronize();
  EXPECT_EQ(first_byte(), 49);
}

TEST_F(HostCaptureTest, TwoStreamsReplayOneExec) {
  HostStream other(device_);
  const auto exec = fill_exec(4);
  for (int i = 0; i < 200; ++i) {
    exec->launch(stream_);
    exec->launch(other);
  }
  device_.synchronize();
  EXPECT_EQ(first_byte(), 4);
}

TEST_F(HostCaptureTest, AStreamMayBeDestroyedWhileItCaptures) {
  stream_.fill_bytes(buffer_.data(), 3, 4096);
  stream_.synchronize();
  {
    HostStream other(device_);
    other.begin_capture();
    other.fill_bytes(buffer_.data(), 1, 4096);
  }
  device_.synchronize();
  EXPECT_EQ(first_byte(), 3) << "what was recorded ran";
  fill_exec(6)->launch(stream_);
  stream_.synchronize();
  EXPECT_EQ(first_byte(), 6) << "the device works on";
}

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
