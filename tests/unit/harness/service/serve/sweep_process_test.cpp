// Shell scripts play the sweep: what they say, how they end, how they are stopped; and which service may
// measure.
#include "harness/service/serve/sweep_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "graphs/base/error.hpp"
#include "harness/service/serve/machine_turn.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::serve {
namespace {

using testing::ElementsAre;

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

TEST(SweepProcess, EveryLineAndTheEndArrive) {
  SweepProcess process(shell("echo one >&3; echo out; echo err >&2; printf 'two\\nhalf' >&3; exit 7"));
  std::vector<std::string> lines;
  const SweepExit exit = process.run([&](std::string_view line) { lines.emplace_back(line); });
  EXPECT_THAT(lines, ElementsAre("one", "two")) << "half a line is none";
  EXPECT_EQ(exit.exit_code, 7);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_EQ(exit.output, "out\nerr\n");
}

TEST(SweepProcess, ACrashIsTold) {
  SweepProcess process(shell("kill -SEGV $$"));
  EXPECT_EQ(process.run([](std::string_view) {}).signal, SIGSEGV);
}

TEST(SweepProcess, StoppingAsksFirst) {
  SweepProcess process(
      shell("trap 'echo kept >&3; exit 130' TERM; echo ready >&3; while :; do sleep 0.01; done"));
  std::vector<std::string> lines;
  const SweepExit exit = process.run([&](std::string_view line) {
    lines.emplace_back(line);
    if (line == "ready") process.stop(std::chrono::minutes(1));
  });
  EXPECT_EQ(exit.exit_code, 130);
  EXPECT_THAT(lines, ElementsAre("ready", "kept"));
}

TEST(SweepProcess, WhoDoesNotListenIsKilled) {
  SweepProcess process(shell("trap '' TERM; echo ready >&3; while :; do sleep 0.01; done"));
  const SweepExit exit = process.run([&](std::string_view) { process.stop(std::chrono::milliseconds(20)); });
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST(SweepProcess, ItCanBeStoppedFromAnotherThread) {
  SweepProcess process(shell("exec sleep 60"));
  std::thread stopper([&] { process.stop(std::chrono::minutes(1)); });
  EXPECT_EQ(process.run([](std::string_view) {}).signal, SIGTERM);
  stopper.join();
}

TEST(SweepProcess, AFileThatDoesNotExistIsAnError) {
  EXPECT_THROW(SweepProcess({"/no/such/file"}), Error);
}

TEST(SweepProcess, AHandlerThatThrowsEndsTheSweep) {
  SweepProcess process(shell("echo nonsense >&3; exec sleep 60"));
  EXPECT_THROW(process.run([](std::string_view) { throw std::runtime_error("no event"); }),
               std::runtime_error);
}

TEST(MachineTurn, TwoTakeTurns) {
  const test::TemporaryFolder folder;
  MachineTurn one(folder.path());
  MachineTurn two(folder.path());
  EXPECT_TRUE(one.try_take());
  EXPECT_TRUE(one.try_take()) << "it has it";
  EXPECT_FALSE(two.try_take());
  one.give_back();
  EXPECT_FALSE(one.try_take()) << "the other one waits";
  EXPECT_TRUE(two.try_take());
  EXPECT_FALSE(one.try_take());
  two.give_back();
  EXPECT_TRUE(one.try_take());
}

TEST(MachineTurn, OneThatNoLongerWaitsHoldsUpNoOther) {
  const test::TemporaryFolder folder;
  MachineTurn one(folder.path());
  EXPECT_TRUE(one.try_take());
  {
    MachineTurn gone(folder.path());
    EXPECT_FALSE(gone.try_take());
    MachineTurn tired(folder.path());
    EXPECT_FALSE(tired.try_take());
    tired.give_back();
  }
  one.give_back();
  EXPECT_TRUE(one.try_take());
}

TEST(MachineTurn, ALinkOrAnothersFileIsNoLock) {
  const test::TemporaryFolder folder;
  const std::string lock = folder.file("graphbench-" + std::to_string(geteuid()) + ".next");
  std::filesystem::create_symlink(folder.file("elsewhere"), lock);
  EXPECT_THROW(MachineTurn(folder.path()), Error);
  EXPECT_THROW(MachineTurn(folder.file("none")), Error);
}

TEST(MachineTurn, WithoutAFolderEveryTurnIsOurs) {
  MachineTurn one("");
  MachineTurn two("");
  EXPECT_TRUE(one.try_take());
  EXPECT_TRUE(two.try_take());
}

}  // namespace
}  // namespace graphbench::serve
