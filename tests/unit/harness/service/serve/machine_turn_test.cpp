// Who may measure, and who is next.
#include "harness/service/serve/machine_turn.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "graphs/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::serve {
namespace {

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
