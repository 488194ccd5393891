// Tests that the stream runs work asynchronously and in order, and keeps errors for synchronize(). Tests the
// ring between submitting thread and stream's thread: order, a full ring, sleeping waits, and closing.
#include "graphs/host/host_stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <ostream>
#include <thread>
#include <vector>

#include "graphs/host/host_device.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/host/task_ring.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::host {
namespace {

struct Gate {
  std::atomic<bool> open{false};
  std::atomic<bool> reached{false};
  static void run(Task& task, StreamContext&) {
    auto& gate = *static_cast<Gate*>(task.object);
    gate.reached = true;
    gate.open.wait(false);
  }
  void submit(HostStream& stream) { stream.submit(run, this, nullptr, 0); }
  void let_go() {
    open = true;
    open.notify_all();
  }
};

void throw_error(Task& task, StreamContext&) {
  throw Error(ErrorCode::library_failed, static_cast<const char*>(task.object));
}

void submit_failure(HostStream& stream, const char* text) {
  stream.submit(throw_error, const_cast<char*>(text), nullptr, 0);
}

class HostStreamTest : public ::testing::Test {
 protected:
  HostStreamTest() : buffer_(device_, 256) { bytes()[0] = 0; }
  unsigned char* bytes() { return static_cast<unsigned char*>(buffer_.data()); }
  HostDevice device_;
  Buffer buffer_;
  HostStream stream_{device_};
};

TEST_F(HostStreamTest, SubmittingReturnsBeforeTheWorkIsDone) {
  Gate gate;
  gate.submit(stream_);
  stream_.fill_bytes(bytes(), 1, 1);
  EXPECT_FALSE(gate.open);  // the submitting thread got here before the first task ended
  gate.let_go();
  stream_.synchronize();
  EXPECT_EQ(bytes()[0], 1);
}

TEST_F(HostStreamTest, WorkRunsInTheOrderSubmitted) {
  for (int i = 1; i <= 200; ++i) stream_.fill_bytes(bytes(), i, 1);
  stream_.copy_on_device(bytes() + 1, bytes(), 1);
  stream_.fill_bytes(bytes(), 0, 1);
  stream_.synchronize();
  EXPECT_EQ(bytes()[0], 0);
  EXPECT_EQ(bytes()[1], 200);
}

TEST_F(HostStreamTest, SynchronizeThrowsTheFirstErrorOnceAndTheStreamGoesOn) {
  submit_failure(stream_, "first");
  submit_failure(stream_, "second");
  stream_.fill_bytes(bytes(), 3, 1);
  const Error error = test::error_of([&] { stream_.synchronize(); });
  EXPECT_EQ(error.code(), ErrorCode::library_failed);
  EXPECT_STREQ(error.what(), "first");
  EXPECT_EQ(bytes()[0], 3);
  EXPECT_NO_THROW(stream_.synchronize());
}

TEST_F(HostStreamTest, DestroyingAStreamRunsWhatItWasGiven) {
  {
    HostStream short_lived(device_);
    for (int i = 1; i <= 100; ++i) short_lived.fill_bytes(bytes(), i, 1);
  }
  EXPECT_EQ(bytes()[0], 100);
}

TEST_F(HostStreamTest, FreeingMemoryWaitsForTheWorkThatUsesIt) {
  Gate gate;
  auto doomed = std::make_unique<Buffer>(device_, 1 << 20);
  gate.submit(stream_);
  stream_.fill_bytes(doomed->data(), 1, 1 << 20);
  std::thread opener([&] {
    while (!gate.reached) std::this_thread::yield();
    gate.let_go();
  });
  doomed.reset();
  EXPECT_TRUE(gate.open);  // the memory's release had to wait for the tasks
  opener.join();
  stream_.synchronize();
}

TEST_F(HostStreamTest, CopiesToAndFromTheHostAreDoneOnReturn) {
  unsigned char value = 42;
  stream_.copy_to_device(bytes(), &value, 1);
  value = 0;
  unsigned char back = 0;
  stream_.copy_to_host(&back, bytes(), 1);
  EXPECT_EQ(back, 42);
}

TEST_F(HostStreamTest, AnEventNotYetReachedCannotBeRead) {
  const auto never = device_.make_event();
  const auto event = device_.make_event();
  Gate gate;
  gate.submit(stream_);
  event->record(stream_);
  EXPECT_THROW(event->seconds_since(*event), Error);
  gate.let_go();
  stream_.synchronize();
  EXPECT_EQ(event->seconds_since(*event), 0.0);
  EXPECT_THROW(event->seconds_since(*never), Error);
}

TEST_F(HostStreamTest, DeviceSynchronizeWaitsForAllStreams) {
  HostStream other(device_);
  Gate gate;
  gate.submit(other);
  other.fill_bytes(bytes(), 8, 1);
  std::thread opener([&] {
    while (!gate.reached) std::this_thread::yield();
    gate.let_go();
  });
  device_.synchronize();
  EXPECT_EQ(bytes()[0], 8);
  opener.join();
}

}  // namespace

static void PrintTo(const TaskRing::SpinTimes& times, std::ostream* out) {
  *out << (times.producer.count() > 0 ? "spinning" : "sleeping");
}

namespace {

constexpr TaskRing::SpinTimes no_spinning{};
constexpr TaskRing::SpinTimes spinning{std::chrono::microseconds(50), std::chrono::microseconds(50)};

void* tag(std::size_t number) {
  return reinterpret_cast<void*>(number);
}

template <typename BeforeEach>
std::thread consume(TaskRing& ring, std::vector<void*>& seen, BeforeEach before_each) {
  return std::thread([&ring, &seen, before_each] {
    while (Task* task = ring.next()) {
      before_each();
      seen.push_back(task->object);
      ring.complete();
    }
  });
}

class RingTest : public ::testing::TestWithParam<TaskRing::SpinTimes> {};

TEST_P(RingTest, KeepsTheOrderOfMoreTasksThanItHolds) {
  TaskRing ring(GetParam());
  std::vector<void*> seen;
  std::thread consumer = consume(ring, seen, [] {});
  constexpr std::size_t count = 5 * TaskRing::capacity + 3;
  for (std::size_t i = 0; i < count; ++i) {
    ring.claim().object = tag(i);
    ring.publish();
  }
  ring.wait_idle();
  ASSERT_EQ(seen.size(), count);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], tag(i));
  ring.close();
  consumer.join();
}

TEST_P(RingTest, AFullRingHoldsTheProducerBack) {
  TaskRing ring(GetParam());
  std::atomic<bool> open{false};
  std::atomic<std::size_t> published{0};
  std::vector<void*> seen;
  std::thread consumer = consume(ring, seen, [&] { open.wait(false); });
  std::thread producer([&] {
    for (std::size_t i = 0; i < 2 * TaskRing::capacity; ++i) {
      ring.claim().object = tag(i);
      ring.publish();
      ++published;
    }
    ring.wait_idle();
  });
  while (published < TaskRing::capacity) std::this_thread::yield();
  // No task completes, so the ring stays full, however long the producer tries.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(published.load(), TaskRing::capacity);
  open = true;
  open.notify_all();
  producer.join();
  EXPECT_EQ(seen.size(), 2 * TaskRing::capacity);
  ring.close();
  consumer.join();
}

TEST_P(RingTest, WakesSleepersOnBothSidesAgainAndAgain) {
  TaskRing ring(GetParam());
  std::vector<void*> seen;
  std::thread consumer =
      consume(ring, seen, [] { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
  for (std::size_t i = 0; i < 300; ++i) {
    ring.claim().object = tag(i);
    ring.publish();
    ring.wait_idle();
    ASSERT_EQ(seen.size(), i + 1);
    if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  ring.close();
  consumer.join();
}

TEST_P(RingTest, ClosingLetsTheConsumerFinishFirst) {
  TaskRing ring(GetParam());
  for (std::size_t i = 0; i < 100; ++i) {
    ring.claim().object = tag(i);
    ring.publish();
  }
  ring.close();
  std::vector<void*> seen;
  consume(ring, seen, [] {}).join();
  EXPECT_EQ(seen.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(Spins, RingTest, ::testing::Values(no_spinning, spinning),
                         [](const auto& parameter) {
                           return parameter.index == 0 ? "sleeping" : "spinning";
                         });

}  // namespace
}  // namespace graphbench::host
