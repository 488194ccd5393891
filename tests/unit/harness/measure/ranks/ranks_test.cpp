// Ranks that meet in shared memory, each on a thread of this process instead of a process of its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <thread>

#include "graphs/base/files.hpp"
#include "harness/measure/ranks/group_main.hpp"
#include "harness/measure/ranks/group_times.hpp"

namespace graphbench::ranks {
namespace {

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    const Descriptor memory(memfd_create("ranks", 0));
    ASSERT_EQ(ftruncate(memory.get(), sizeof(Block)), 0);
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
    std::thread other([&] { work(*ranks_[1], 1); });
    work(*ranks_[0], 0);
    other.join();
  }

  std::array<std::unique_ptr<Rank>, 2> ranks_;
};

TEST_F(Ranks, AProcessWithoutTheVariableIsNone) {
  EXPECT_EQ(Rank::join(), nullptr);
}

TEST_F(Ranks, DecideAsRankZeroAndSeeAllNumbers) {
  const std::int64_t many = 3 * static_cast<std::int64_t>(numbers_max) / 2;
  each([&](Rank& rank, std::size_t index) {
    for (std::int64_t turn = 0; turn < 1000; ++turn) {
      EXPECT_EQ(rank.decide(index == 0 ? turn : -1), turn);
    }
    const auto all = rank.gather(std::vector<std::int64_t>(many, rank.index() + 7));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0], std::vector<std::int64_t>(many, 7));
    EXPECT_EQ(all[1], std::vector<std::int64_t>(many, 8));
  });
}

TEST_F(Ranks, AFailureReleasesTheOtherRankAndIsItsErrorToo) {
  each([&](Rank& rank, std::size_t index) {
    std::optional<Error> failure;
    try {
      if (index == 1) throw Error(ErrorCode::check_failed, "check: odd");
      for (;;) rank.begin_step();
    } catch (const Error& error) {
      failure = error;
    }
    failure = rank.settle(failure);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code(), ErrorCode::check_failed);
    EXPECT_STREQ(failure->what(), "rank 1: check: odd");
    EXPECT_EQ(rank.decide(rank.index() + 5), 5) << "they meet again";
    EXPECT_FALSE(rank.settle(std::nullopt));
    failure = rank.settle(Error(ErrorCode::unsupported, "open: no"));
    EXPECT_STREQ(failure->what(), "open: no") << "an error of all ranks has no rank";
  });
}

TEST_F(Ranks, ALatencyIsFromTheFirstStartToTheLastEnd) {
  each([&](Rank& rank, std::size_t index) {
    measure::DurationBuffer submit(2);
    measure::SampleBuffer latency(2);
    submit.push(1);
    latency.push(1, 1);  // an earlier sample stays as it is
    submit.push(index == 0 ? 300 : 200);
    latency.push(index == 0 ? 1000 : 1010, index == 0 ? 500 : 600);
    GroupTimes times;
    combine(rank, 1, submit, latency, times);
    EXPECT_EQ(latency.at(0), 1);
    EXPECT_EQ(latency.at(1), 610);
    EXPECT_EQ(latency.started_ns()[1], 1000);
    EXPECT_EQ(submit.at(1), 300);
    EXPECT_DOUBLE_EQ(times.skew_seconds.at(0), 110e-9);
    EXPECT_DOUBLE_EQ(summary_of(times).submit_seconds.at(1), 200e-9);
  });
}

TEST_F(Ranks, ASetupAndACheckAreThoseOfTheWorstRank) {
  each([&](Rank& rank, std::size_t index) {
    model::Setup setup{};
    setup.capture_seconds = index == 0 ? 0.5 : 0.25;
    setup.upload_seconds = index == 0 ? 0.001 : 0.002;
    combine(rank, setup);
    EXPECT_EQ(setup.capture_seconds, 0.5);
    EXPECT_EQ(setup.upload_seconds, 0.002);
    EXPECT_FALSE(setup.prepare_seconds);
    model::Check check{.reference = "eager",
                       .identical = index == 0,
                       .max_abs_error = index == 1 ? 0.5 : 0.0,
                       .tolerated = std::nullopt};
    combine(rank, check);
    EXPECT_FALSE(check.identical);
    EXPECT_EQ(check.max_abs_error, 0.5);
    EXPECT_EQ(check.tolerated.has_value(), index == 0) << "the rank's own words, where it has some";
  });
}

TEST_F(Ranks, TakeDevicesAndCpusInTurn) {
  EXPECT_EQ(ranks_[1]->device_after("cuda:2"), "cuda:3");
  EXPECT_EQ(ranks_[1]->device_after("host"), "host");
  EXPECT_EQ(ranks_[0]->share_of({1, 4, 5, 8, 9}), (std::vector<int>{1, 4}));
  EXPECT_EQ(ranks_[1]->share_of({1, 4, 5, 8, 9}), (std::vector<int>{5, 8, 9}));
  EXPECT_EQ(ranks_[1]->share_of({3}), std::vector<int>{3});
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
}  // namespace graphbench::ranks
