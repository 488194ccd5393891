// Reading the CPU's state from trees of files made here.
#include "harness/measure/machine/cpu_state.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace graphbench::machine {
namespace {

class CpuStateTest : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) const { folder_.write(path, text); }
  model::CpuState read() const { return read_cpu_state(folder_.path()); }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(CpuStateTest, WhatTheSystemDoesNotSayIsAbsent) {
  const model::CpuState state = read();
  EXPECT_EQ(state.governor, "");
  EXPECT_FALSE(state.turbo.has_value());
  EXPECT_FALSE(state.load_average.has_value());
}

TEST_F(CpuStateTest, ReadsGovernorTurboAndLoad) {
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpufreq/boost", "0\n");
  file("proc/loadavg", "1.25 0.5 0.1 1/100 4242\n");
  const model::CpuState state = read();
  EXPECT_EQ(state.governor, "powersave");
  EXPECT_EQ(state.turbo, false);
  EXPECT_DOUBLE_EQ(*state.load_average, 1.25);
}

TEST_F(CpuStateTest, GovernorsThatDifferAreMixedAndIntelsSwitchTurnsTurboOff) {
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpu11/cpufreq/scaling_governor", "performance\n");
  file("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(read().governor, "mixed");
  EXPECT_EQ(read().turbo, true);
}

}  // namespace
}  // namespace graphbench::machine
