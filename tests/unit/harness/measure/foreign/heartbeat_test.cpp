// Tests that a heartbeat beats only while this process or one of its descendants computes.
#include "harness/measure/foreign/heartbeat.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace graphbench::measure {
namespace {

constexpr double interval_seconds = 0.2;

struct Counted {
  std::atomic<int> beats = 0;
  Heartbeat heart;

  explicit Counted(int beats_max, double seconds = interval_seconds)
      : heart([this] { ++beats; }, seconds, beats_max) {}
};

TEST(Heartbeat, BeatsWhileThisProcessComputesAndNotForEver) {
  Counted counted(10000);
  while (counted.beats < 2) {
  }
  Counted bounded(0);
  const std::int64_t before = ticks_of_process_tree();
  while (ticks_of_process_tree() - before < 60) {
  }
  EXPECT_EQ(0, bounded.beats);
}

TEST(Heartbeat, BeatsWhileAProcessBelowComputes) {
  const std::string beaten = testing::TempDir() + "heartbeat_" + std::to_string(getpid());
  const Heartbeat heart([&] { std::ofstream file(beaten); }, interval_seconds, 10000);
  std::thread parent([&] {
    EXPECT_EQ(0, std::system(("timeout 20 sh -c 'until [ -e " + beaten + " ]; do :; done'").c_str()));
  });
  parent.join();
  std::filesystem::remove(beaten);
}

// The interval is so long that a tick or two, which the kernel may charge without work, cause no beat.
TEST(Heartbeat, IsSilentWhileNothingComputes) {
  const Counted counted(10000, 1);
  std::this_thread::sleep_for(std::chrono::duration<double>(2.5));
  EXPECT_EQ(0, counted.beats);
}

}  // namespace
}  // namespace graphbench::measure
