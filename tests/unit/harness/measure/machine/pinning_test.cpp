// Tests the choice of a CPU, and the CPUs of threads that measure or must not disturb. Only threads of the
// tests' own change their affinity.
#include "harness/measure/machine/pinning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <future>
#include <thread>

#include "harness/measure/machine/housekeeping_threads.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::measure {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

model::InstrumentOptions asking_for(std::int64_t cpu) {
  model::InstrumentOptions options;
  options.cpu = cpu;
  return options;
}

model::InstrumentOptions choosing(const std::vector<std::int64_t>& cpus) {
  model::InstrumentOptions options;
  options.submitter = model::SubmitterCpus{.cpus = cpus, .locality = "near", .cores = "alike"};
  return options;
}

model::InstrumentOptions unpinned() {
  model::InstrumentOptions options;
  options.pin = false;
  return options;
}

TEST(SubmitterCpus, AreThoseChosenBeforeOrAskedForAndAllowed) {
  EXPECT_THAT(submitter_cpus(choosing({1, 2}), {0, 1, 2, 3}), ElementsAre(1, 2));
  EXPECT_THAT(submitter_cpus(asking_for(2), {0, 2, 5}), ElementsAre(2));
  EXPECT_THAT(submitter_cpus(unpinned(), {0, 1}), IsEmpty());
  const Error error = test::error_of([&] { return submitter_cpus(asking_for(3), {0, 2}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("\"3\""), HasSubstr("0, 2")));
}

TEST(SubmitterPin, KeepsThreadsMadeBeforehandOffItsCpus) {
  const std::vector<int> allowed = allowed_cpus();
  std::thread([&] {
    SubmitterPin pin({}, allowed, true);
    pin.keep_others_off();
    std::vector<int> others;
    std::thread([&] { others = allowed_cpus(); }).join();
    pin.take();
    EXPECT_THAT(allowed_cpus(), ElementsAre(*pin.cpu()));
    const std::vector<int> mine = submitter_cpus({}, allowed);
    EXPECT_THAT(mine, ::testing::Contains(*pin.cpu()));
    if (allowed.size() == 1) return;
    std::vector<int> beside = allowed;
    std::erase_if(beside, [&](int cpu) { return std::ranges::find(mine, cpu) != mine.end(); });
    EXPECT_EQ(others, beside);
  }).join();
  EXPECT_EQ(allowed_cpus(), allowed);
}

TEST(SubmitterPin, LeavesEverythingAloneWhereItIsOff) {
  const std::vector<int> allowed = allowed_cpus();
  std::thread([&] {
    SubmitterPin pin(unpinned(), allowed, true);
    pin.keep_others_off();
    pin.take();
    EXPECT_EQ(allowed_cpus(), allowed);
    EXPECT_FALSE(pin.hold().has_value());
    EXPECT_FALSE(pin.cpu().has_value());
  }).join();
}

// Two CPUs that may submit, and the seconds that a computation takes on each.
class RoamingPinTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<int> allowed = allowed_cpus();
    if (allowed.size() < 2) GTEST_SKIP() << "this machine has a single CPU";
    highest_ = allowed.back();
    next_ = allowed[allowed.size() - 2];
  }
  SubmitterPin pin(bool roams) {
    return {choosing({next_, highest_}), {next_, highest_}, roams, [this] {
              return sched_getcpu() == highest_ ? on_highest_ : on_next_;
            }};
  }
  int highest_ = 0;
  int next_ = 0;
  double on_highest_ = 1.0;
  double on_next_ = 1.0;
};

TEST_F(RoamingPinTest, TakesTheHighestThatIsQuietAndLeavesItWhenItIsNot) {
  std::thread([&] {
    on_highest_ = 1.05;
    SubmitterPin roaming = pin(true);
    roaming.take();
    EXPECT_EQ(roaming.cpu(), highest_);
    EXPECT_NEAR(*roaming.hold(), 1.05, 1e-9);
    on_highest_ = 1.6;
    EXPECT_NEAR(*roaming.hold(), 1.0, 1e-9);
    EXPECT_EQ(roaming.cpu(), next_);
  }).join();
}

TEST_F(RoamingPinTest, StaysAndSaysSoWhereItMayNotMove) {
  std::thread([&] {
    SubmitterPin fixed = pin(false);
    fixed.take();
    on_highest_ = 1.6;
    EXPECT_NEAR(*fixed.hold(), 1.6, 1e-9);
    EXPECT_EQ(fixed.cpu(), highest_);
  }).join();
}

TEST_F(RoamingPinTest, TakesTheLeastDisturbedWhereAllAre) {
  std::thread([&] {
    SubmitterPin roaming = pin(true);
    roaming.take();
    on_highest_ = 1.6;
    on_next_ = 1.5;
    EXPECT_NEAR(*roaming.hold(), 1.5, 1e-9);
    EXPECT_EQ(roaming.cpu(), next_);
    on_highest_ = 1.4;
    EXPECT_NEAR(*roaming.hold(), 1.4, 1e-9);
    EXPECT_EQ(roaming.cpu(), highest_);
  }).join();
}

// A control group may give a CPU to another process during a sweep: here the CPU `gone`.
TEST(SubmitterPin, PassesOverACpuThatItMayNotUseAnyMore) {
  const int lowest = allowed_cpus().front();
  constexpr int gone = CPU_SETSIZE - 1;
  std::thread([&] {
    SubmitterPin pin(choosing({lowest, gone}), {lowest, gone}, true, [] { return 1.0; });
    pin.take();
    EXPECT_EQ(pin.cpu(), lowest);
    EXPECT_EQ(pin.hold(), 1.0);
    SubmitterPin lost(asking_for(gone), {lowest, gone}, true, [] { return 1.0; });
    EXPECT_THROW(lost.take(), Error);
  }).join();
}

TEST(ArithmeticSeconds, IsNotLeftOutByTheCompiler) {
  EXPECT_GT(arithmetic_seconds(), 2e-6);
}

using Cpus = std::vector<int>;

TEST(HousekeepingCpus, LeaveOutTheCpuAndItsSiblings) {
  const std::vector<Cpu> two_cores = {
      {.number = 0, .core = 0}, {.number = 1, .core = 1}, {.number = 2, .core = 0}, {.number = 3, .core = 1}};
  EXPECT_EQ(housekeeping_cpus({0, 1, 2, 3}, {3}, two_cores), (Cpus{0, 2}));
  EXPECT_EQ(housekeeping_cpus({0, 1, 2, 3}, {0}, {}), (Cpus{1, 2, 3}));
}

TEST(HousekeepingCpus, AreSiblingsWhereThereIsNothingElse) {
  const std::vector<Cpu> one_core = {{.number = 4, .core = 2}, {.number = 5, .core = 2}};
  EXPECT_EQ(housekeeping_cpus({4, 5}, {5}, one_core), (Cpus{4}));
  EXPECT_EQ(housekeeping_cpus({4}, {4}, one_core), (Cpus{4}));
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
}  // namespace graphbench::measure
