// Choosing a CPU, and where threads end up. Affinity is changed on threads of the tests' own.
#include "harness/machine/pinning.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "graphs/ir/error.hpp"

namespace graphbench::machine {
namespace {

TEST(ChooseCpu, TakesTheHighestAllowed) {
  EXPECT_EQ(choose_cpu({}, {0, 2, 5}), 5);
}

TEST(ChooseCpu, TakesTheOneAskedFor) {
  EXPECT_EQ(choose_cpu({.pin = true, .cpu = 2}, {0, 2, 5}), 2);
}

TEST(ChooseCpu, RefusesOneThatIsNotAllowed) {
  try {
    static_cast<void>(choose_cpu({.pin = true, .cpu = 3}, {0, 2}));
    FAIL() << "CPU 3 was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("\"3\""), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("0, 2"), std::string::npos) << error.what();
  }
}

TEST(ChooseCpu, IsNoneWithoutPinning) {
  EXPECT_FALSE(choose_cpu({.pin = false, .cpu = {}}, {0, 1}).has_value());
}

TEST(SubmitterPin, KeepsThreadsMadeBeforehandOffItsCpu) {
  const std::vector<int> allowed = allowed_cpus();
  std::thread([&] {
    const SubmitterPin pin({}, allowed);
    pin.keep_others_off();
    std::vector<int> others;
    std::thread([&] { others = allowed_cpus(); }).join();
    pin.take();
    EXPECT_EQ(allowed_cpus(), std::vector<int>{allowed.back()});
    std::vector<int> expected = allowed;
    if (expected.size() > 1) expected.pop_back();
    EXPECT_EQ(others, expected);
  }).join();
  EXPECT_EQ(allowed_cpus(), allowed);
}

TEST(SubmitterPin, LeavesEverythingAloneWhereItIsOff) {
  const std::vector<int> allowed = allowed_cpus();
  std::thread([&] {
    const SubmitterPin pin({.pin = false, .cpu = {}}, allowed);
    pin.keep_others_off();
    pin.take();
    EXPECT_EQ(allowed_cpus(), allowed);
  }).join();
}

}  // namespace
}  // namespace graphbench::machine
