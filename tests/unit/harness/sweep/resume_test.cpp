// Which tasks of an interrupted sweep are taken over, and what is left to measure.
#include <gtest/gtest.h>

#include "harness/sweep/journal.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::sweep {
namespace {

using namespace test;

const model::MeasuredOn here{"node1", "GPU-1"};
const model::MeasuredOn there{"node1", "GPU-2"};
const model::WorkerTask eager = sample_task("eager", {1, 2});
const model::WorkerTask whole = sample_task("whole", {1, 2});

FinishedTask finished(const model::WorkerTask& task, const model::MeasuredOn& on = here) {
  return {task_id(task), on, 0, {}};
}

std::vector<std::string> left(const model::Plan& plan, const std::vector<FinishedTask>& done) {
  const Remainder remainder = remainder_of(plan, done, here);
  EXPECT_EQ(remainder.tasks.size() + remainder.taken_over.size(), plan.tasks.size());
  std::vector<std::string> modes;
  for (const model::WorkerTask& task : remainder.tasks) modes.push_back(task.mode);
  return modes;
}

using Modes = std::vector<std::string>;

TEST(Remainder, IsAllWhereNothingIsFinished) {
  EXPECT_EQ(left(sample_plan({eager, whole}), {}), (Modes{"eager", "whole"}));
}

TEST(Remainder, LeavesOutATaskThatIsFinished) {
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(whole)}), Modes{"eager"});
}

TEST(Remainder, TakesTasksOverByLaunch) {
  const model::WorkerTask again = sample_task("whole", {1, 2}, 1);
  const model::Plan plan = sample_plan({eager, whole, again});
  EXPECT_EQ(left(plan, {finished(whole)}), (Modes{"eager", "whole"}));
  EXPECT_EQ(remainder_of(plan, {finished(again)}, here).tasks.back().launch, 0);
}

TEST(Remainder, IsNotMisledByTasksOfAnotherPlan) {
  EXPECT_EQ(left(sample_plan({eager}), {finished(whole)}), Modes{"eager"});
}

TEST(Remainder, TakesAnotherDevicesGroupsOverAsAWholeAlone) {
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(eager, there), finished(whole, there)}), Modes{});
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(eager, there)}), (Modes{"eager", "whole"}));
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(eager, there), finished(whole)}), Modes{"eager"});
  model::WorkerTask other = eager;
  other.warmup = 3;
  EXPECT_EQ(left(sample_plan({eager, whole, other}), {finished(other, there), finished(eager, there)}),
            (Modes{"eager", "whole"}));
}

TEST(Remainder, CountsTheLaterOfTwo) {
  EXPECT_EQ(left(sample_plan({eager, whole}), {finished(eager, there), finished(eager, here)}),
            Modes{"whole"});
}

}  // namespace
}  // namespace graphbench::sweep
