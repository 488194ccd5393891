// Tests ranks that meet in shared memory. Each rank is a thread of this process instead of a process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <thread>

#include "graphs/base/files.hpp"
#include "harness/measure/ranks/group.hpp"
#include "harness/measure/ranks/rank.hpp"

namespace graphbench::measure {
namespace {

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    const Descriptor memory(memfd_create("ranks", 0));
    const std::string path = "/proc/self/fd/" + std::to_string(memory.get());
    setenv(block_variable, path.c_str(), 1);
    setenv("WORLD_SIZE", "2", 1);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      setenv("RANK", std::to_string(i).c_str(), 1);
      ranks_[i] = Rank::join();
    }
    for (const char* name : {block_variable, "WORLD_SIZE", "RANK"}) unsetenv(name);
  }

  void each(const std::function<void(Rank& rank, std::size_t index)>& work) {
    std::thread other([&] { work(ranks_[1], 1); });
    work(ranks_[0], 0);
    other.join();
  }

  std::array<Rank, 2> ranks_;
};

TEST_F(Ranks, AProcessWithoutTheVariableIsAloneAndKeepsWhatIsItsOwn) {
  EXPECT_FALSE(ranks_[0].alone());
  const Rank rank = Rank::join();
  EXPECT_TRUE(rank.alone());
  rank.begin_step();
  EXPECT_EQ(rank.decide(7), 7);
  EXPECT_EQ(rank.largest(0.5), 0.5);
  EXPECT_EQ(rank.share_of({1, 4}), (std::vector<int>{1, 4}));
  EXPECT_FALSE(rank.settle(std::nullopt));
  EXPECT_STREQ(rank.settle(Error(ErrorCode::unsupported, "open: no"))->what(), "open: no");
}

TEST_F(Ranks, DecideAsRankZeroAndKnowTheLargest) {
  each([&](Rank& rank, std::size_t index) {
    for (std::int64_t turn = 0; turn < 1000; ++turn) {
      EXPECT_EQ(rank.decide(index == 0 ? turn : -1), turn);
    }
    EXPECT_EQ(rank.largest(index == 0 ? 0.25 : 0.5), 0.5);
  });
}

TEST_F(Ranks, AnErrorOfOneRankIsThatOfAllAndNamesIt) {
  each([&](Rank& rank, std::size_t index) {
    std::optional<Error> failure;
    if (index == 1) failure.emplace(ErrorCode::check_failed, "check: odd");
    failure = rank.settle(failure);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code(), ErrorCode::check_failed);
    EXPECT_STREQ(failure->what(), "rank 1: check: odd");
    EXPECT_FALSE(rank.settle(std::nullopt));
    failure = rank.settle(Error(ErrorCode::unsupported, "open: no"));
    EXPECT_STREQ(failure->what(), "open: no") << "an error of all ranks has no rank";
  });
}

TEST_F(Ranks, ALatencyIsFromTheFirstStartToTheLastEnd) {
  each([&](Rank& rank, std::size_t index) {
    GroupTimes times;
    for (GroupTimes* each : {static_cast<GroupTimes*>(nullptr), &times}) {
      std::int64_t start = index == 0 ? 1000 : 1010;
      std::int64_t submit = index == 0 ? 300 : 200;
      std::int64_t latency = index == 0 ? 500 : 600;
      rank.combine(start, submit, latency, each);
      EXPECT_EQ(start, 1000);
      EXPECT_EQ(submit, 300);
      EXPECT_EQ(latency, 610);
    }
    ASSERT_EQ(times.skew_seconds.size(), 1U);
    EXPECT_DOUBLE_EQ(times.skew_seconds[0], 110e-9);
    EXPECT_DOUBLE_EQ(times.submit_seconds.at(1).at(0), 200e-9);
  });
}

TEST_F(Ranks, TakeDevicesAndCpusInTurn) {
  EXPECT_EQ(device_after("cuda:2", 1), "cuda:3");
  EXPECT_EQ(device_after("host", 1), "host");
  EXPECT_EQ(ranks_[0].share_of({1, 4, 5, 8, 9}), (std::vector<int>{1, 4}));
  EXPECT_EQ(ranks_[1].share_of({1, 4, 5, 8, 9}), (std::vector<int>{5, 8, 9}));
  EXPECT_EQ(ranks_[1].share_of({3}), std::vector<int>{3});
}

TEST(Stacks, NameTheCallsOfTheStepThread) {
  const std::string dump =
      "Thread 0x01 (most recent call first):\n"
      "  File \"/usr/lib/python3/threading.py\", line 5 in wait\n\n"
      "Thread 0x02 (most recent call first):\n"
      "  File \"/x/distributed_c10d.py\", line 7 in all_reduce\n"
      "  File \"/me/step.py\", line 31 in step\n"
      "  File \"/gb/graphbench.py\", line 100 in run_eagerly\n"
      "  File \"/gb/graphbench.py\", line 200 in call\n\n"
      "Thread 0x03 (most recent call first):\n"
      "  File \"/gb/graphbench.py\", line 400 in main\n"
      "Thread 0x04 (most recent call first):\n"
      "  File \"/usr/lib/python3/threading.py\", line 5 in wait\n";
  EXPECT_EQ(call_of(dump), "all_reduce at distributed_c10d.py:7 < step at step.py:31");
  EXPECT_EQ(call_of(dump.substr(dump.find("Thread 0x03"))), "");
  EXPECT_EQ(call_of(""), "");
}

}  // namespace
}  // namespace graphbench::measure
