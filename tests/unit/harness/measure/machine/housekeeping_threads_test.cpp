// Where threads may be that must not disturb the one that measures.
#include "harness/measure/machine/housekeeping_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

#include "harness/measure/machine/pinning.hpp"

namespace graphbench::machine {
namespace {

using Cpus = std::vector<int>;

TEST(CpuList, IsReadAsTheSystemWritesIt) {
  EXPECT_EQ(parse_cpu_list("0"), (Cpus{0}));
  EXPECT_EQ(parse_cpu_list("3,67"), (Cpus{3, 67}));
  EXPECT_EQ(parse_cpu_list("0-2,8"), (Cpus{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpu_list(""), Cpus{});
  EXPECT_EQ(parse_cpu_list("x,5,1-,-2,99999999999,7"), (Cpus{5, 7}));
}

TEST(HousekeepingCpus, LeaveOutTheCpuAndItsSiblings) {
  EXPECT_EQ(housekeeping_cpus({0, 1, 2, 3}, {3}, {1, 3}), (Cpus{0, 2}));
  EXPECT_EQ(housekeeping_cpus({0, 1, 2, 3}, {0}, {}), (Cpus{1, 2, 3}));
}

TEST(HousekeepingCpus, AreSiblingsWhereThereIsNothingElse) {
  EXPECT_EQ(housekeeping_cpus({4, 5}, {5}, {4, 5}), (Cpus{4}));
  EXPECT_EQ(housekeeping_cpus({4}, {4}, {4}), (Cpus{4}));
}

TEST(HousekeepingThreads, MoveWithTheCpuThatIsMeasuredOn) {
  const Cpus allowed = allowed_cpus();
  if (allowed.size() < 2) GTEST_SKIP() << "this machine has a single CPU";
  HousekeepingThreads threads;
  std::promise<void> joined;
  std::promise<void> moved;
  Cpus before;
  Cpus after;
  Cpus spread;
  std::thread thread([&] {
    threads.add_this_thread();
    before = allowed_cpus();
    joined.set_value();
    moved.get_future().wait();
    after = allowed_cpus();
    threads.use_every_cpu();
    spread = allowed_cpus();
  });
  joined.get_future().wait();
  threads.keep_off({allowed.front()});
  moved.set_value();
  thread.join();
  EXPECT_EQ(std::count(before.begin(), before.end(), allowed.back()), 0);
  EXPECT_EQ(std::count(after.begin(), after.end(), allowed.front()), 0);
  EXPECT_EQ(std::count(after.begin(), after.end(), allowed.back()), 1);
  EXPECT_EQ(spread, allowed);
  EXPECT_EQ(allowed_cpus(), allowed) << "a thread that did not join stays where it is";
}

TEST(HousekeepingThreads, MayBeAnywhereWhereNothingIsPinned) {
  const Cpus allowed = allowed_cpus();
  HousekeepingThreads threads;
  Cpus cpus;
  std::thread([&] {
    threads.add_this_thread();
    threads.keep_off({});
    cpus = allowed_cpus();
  }).join();
  EXPECT_EQ(cpus, allowed);
}

}  // namespace
}  // namespace graphbench::machine
