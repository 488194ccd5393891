// Tests what a graph of the host device cannot contain, which threads may capture, what a replay runs,
// activity records, and a plugin's op: the call that it gets, and every way in which it can fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/host/host_device.hpp"
#include "graphs/host/host_stream.hpp"
#include "graphs/ir/program.hpp"
#include "tests/support/foreign_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

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
  EXPECT_EQ(device.records(), nullptr);
}

TEST(HostStream, SynchronizesAsleepToo) {
  HostDevice device;
  const auto stream = device.make_stream();
  std::vector<unsigned char> memory(1 << 20, 0);
  stream->fill_bytes(memory.data(), 7, memory.size());
  stream->synchronize_blocking();
  EXPECT_EQ(memory.back(), 7);
}

int scale(const gb_op_call* call, void* const* operands, void* user) {
  *static_cast<const gb_op_call**>(user) = call;
  const auto* in = static_cast<const float*>(operands[0]);
  auto* out = static_cast<float*>(operands[1]);
  const gb_attr& factor = call->attrs[0];
  for (std::int64_t i = 0; i < call->operands[0].dims[0]; ++i)
    out[i] = in[i] * static_cast<float>(factor.real);
  return 0;
}

class ForeignOpTest : public ::testing::Test {
 protected:
  using Run = int (*)(const gb_op_call*, void* const*, void*);

  std::unique_ptr<Kernel> prepare(Run run) { return prepare(run, device_); }
  std::unique_ptr<Kernel> prepare(Run run, Device& device) {
    op_ = test::foreign_op("test_scale", test::infer_same, run);
    op_.user = &last_call_;
    catalog_ = {};
    catalog_.add(abi::foreign_definition(op_));
    test::SmallBuilder b(catalog_);
    const auto x = b.input("x", test::batched({}));
    const auto y = b.one(op_.kind, "scaled", {x}, {{"factor", 3.0}, {"label", std::string("text")}});
    return device.make_kernel(b.ending_in(y).call(0, 4));
  }
  std::string error_of_running(Run run) {
    HostDevice device;  // a new device, which has not yet prepared a kernel for the op
    const auto kernel = prepare(run, device);
    const auto stream = device.make_stream();
    kernel->launch(*stream, operands_);
    const Error error = test::error_of([&] { stream->synchronize(); });
    EXPECT_EQ(error.code(), ErrorCode::plugin_failed);
    return error.what();
  }

  gb_op op_{};
  const gb_op_call* last_call_ = nullptr;
  ir::OpCatalog catalog_;
  HostDevice device_;
  float in_[4] = {1, 2, 3, 4};
  float out_[4] = {};
  void* operands_[2] = {in_, out_};
};

TEST_F(ForeignOpTest, RunsWithItsDescriptionAfterTheProgramIsGone) {
  const auto kernel = prepare(scale);
  const auto stream = device_.make_stream();
  kernel->launch(*stream, operands_);
  stream->synchronize();
  EXPECT_EQ(out_[3], 12.0f);
  ASSERT_NE(last_call_, nullptr);
  EXPECT_EQ(last_call_->struct_size, sizeof(gb_op_call));
  EXPECT_STREQ(last_call_->name, "scaled");
  EXPECT_EQ(last_call_->batch, 4);
  EXPECT_EQ(last_call_->input_count, 1);
  EXPECT_EQ(last_call_->output_count, 1);
  ASSERT_EQ(last_call_->attr_count, 2);
  EXPECT_STREQ(last_call_->attrs[1].name, "label");
  EXPECT_STREQ(last_call_->attrs[1].text, "text");
  const gb_op_call* first_record = last_call_;
  kernel->launch(*stream, operands_);
  stream->synchronize();
  EXPECT_EQ(last_call_, first_record) << "the record has one address";
}

// A plugin may keep data by a call's address, so no later call in the process may have the same address.
TEST_F(ForeignOpTest, ACallKeepsItsAddressToItselfWhenItsDeviceIsGone) {
  std::set<const gb_op_call*> seen;
  for (int i = 0; i < 3; ++i) {
    HostDevice device;
    const auto kernel = prepare(scale, device);
    const auto stream = device.make_stream();
    kernel->launch(*stream, operands_);
    stream->synchronize();
    seen.insert(last_call_);
  }
  EXPECT_EQ(seen.size(), 3u);
  for (const gb_op_call* call : seen) EXPECT_STREQ(call->attrs[1].text, "text");
}

TEST_F(ForeignOpTest, ANonZeroReturnAndWhateverIsThrownAreAPluginFailure) {
  EXPECT_THAT(error_of_running([](const gb_op_call*, void* const*, void*) { return 17; }),
              testing::AllOf(testing::HasSubstr("scaled"), testing::HasSubstr("17")));
  EXPECT_THAT(error_of_running([](const gb_op_call*, void* const*, void*) -> int {
                throw std::runtime_error("out of coffee");
              }),
              testing::HasSubstr("out of coffee"));
  error_of_running([](const gb_op_call*, void* const*, void*) -> int { throw 5; });
}

}  // namespace
}  // namespace graphbench::host
