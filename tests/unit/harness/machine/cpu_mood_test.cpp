// Reading the CPU's mood from trees of files made here.
#include "harness/machine/cpu_mood.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace graphbench::machine {
namespace {

class CpuMoodTest : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) const { folder_.write(path, text); }
  model::CpuMood read() const { return read_cpu_mood(folder_.path()); }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(CpuMoodTest, WhatTheSystemDoesNotSayIsAbsent) {
  const model::CpuMood mood = read();
  EXPECT_EQ(mood.governor, "");
  EXPECT_FALSE(mood.turbo.has_value());
  EXPECT_FALSE(mood.load_average.has_value());
}

TEST_F(CpuMoodTest, ReadsGovernorTurboAndLoad) {
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpufreq/boost", "0\n");
  file("proc/loadavg", "1.25 0.5 0.1 1/100 4242\n");
  const model::CpuMood mood = read();
  EXPECT_EQ(mood.governor, "powersave");
  EXPECT_EQ(mood.turbo, false);
  EXPECT_DOUBLE_EQ(*mood.load_average, 1.25);
}

TEST_F(CpuMoodTest, GovernorsThatDifferAreMixed) {
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpu11/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(read().governor, "mixed");
}

TEST_F(CpuMoodTest, IntelsSwitchTurnsTurboOff) {
  file("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(read().turbo, true);
}

}  // namespace
}  // namespace graphbench::machine
