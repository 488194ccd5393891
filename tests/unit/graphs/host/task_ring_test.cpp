// The ring between two threads: order, back pressure, waits that sleep, and the end.
#include "graphs/host/task_ring.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <thread>
#include <vector>

namespace graphbench::host {

static void PrintTo(const TaskRing::SpinTimes& times, std::ostream* out) {
  *out << (times.producer.count() > 0 ? "spinning" : "sleeping");
}

namespace {

constexpr TaskRing::SpinTimes no_spinning{};
constexpr TaskRing::SpinTimes spinning{std::chrono::microseconds(50), std::chrono::microseconds(50)};

void* tag(std::size_t number) {
  return reinterpret_cast<void*>(number);
}

// Runs a consumer that collects the objects of all tasks, with `before_each` called ahead of every one.
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
  // Nothing completes, so not one more fits, however long the producer tries.
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
