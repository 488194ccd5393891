// Which cells of an interrupted sweep are taken over, and what is left to measure.
#include "harness/sweep/resume.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_plan.hpp"

namespace graphbench::sweep {
namespace {

using namespace test;

const model::WorkerTask eager = sample_task("eager", {1, 2});
const model::WorkerTask whole = sample_task("whole", {1, 2});

TEST(Remainder, IsAllWhereNothingIsFinished) {
  const Remainder remainder = remainder_of(sample_plan({eager, whole}), {});
  EXPECT_EQ(remainder.tasks.size(), 2u);
  EXPECT_TRUE(remainder.taken_over.empty());
}

TEST(Remainder, LeavesOutALadderThatIsFinished) {
  const Remainder remainder =
      remainder_of(sample_plan({eager, whole}), {ok_cell(whole, 1), ok_cell(whole, 2)});
  ASSERT_EQ(remainder.tasks.size(), 1u);
  EXPECT_EQ(remainder.tasks[0].mode, "eager");
  ASSERT_EQ(remainder.taken_over.size(), 2u);
  EXPECT_TRUE(remainder.taken_over[0].resumed && remainder.taken_over[1].resumed);
}

TEST(Remainder, HasTheWholeLadderWhereACellOfItIsMissingOrFailed) {
  EXPECT_EQ(remainder_of(sample_plan({whole}), {ok_cell(whole, 1)}).tasks.size(), 1u);
  model::CellResult failed = ok_cell(whole, 2);
  failed.status = model::CellStatus::failed;
  const Remainder remainder = remainder_of(sample_plan({whole}), {ok_cell(whole, 1), failed});
  EXPECT_EQ(remainder.tasks.size(), 1u);
  EXPECT_TRUE(remainder.taken_over.empty());
}

TEST(Remainder, TakesACellOverOnceWhateverItsLaunches) {
  const model::Plan plan =
      sample_plan({eager, whole, sample_task("whole", {1, 2}, 1), sample_task("eager", {1, 2}, 1)});
  const Remainder remainder = remainder_of(plan, {ok_cell(whole, 1), ok_cell(whole, 2)});
  EXPECT_EQ(remainder.taken_over.size(), 2u);
  ASSERT_EQ(remainder.tasks.size(), 2u);
  EXPECT_EQ(remainder.tasks[1].launch, 1);
}

TEST(Remainder, IsNotMisledByCellsOfAnotherPlan) {
  const Remainder remainder = remainder_of(sample_plan({eager}), {ok_cell(whole, 1), ok_cell(whole, 2)});
  EXPECT_EQ(remainder.tasks.size(), 1u);
  EXPECT_TRUE(remainder.taken_over.empty());
}

}  // namespace
}  // namespace graphbench::sweep
