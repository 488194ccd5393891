// Tests what is said of cycles of graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/bill/predict.hpp"

namespace graphbench::bill {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Optional;

std::vector<Capture> captures(double seconds, double driver) {
  Capture made{
      .size = 8, .mode = "whole", .growth = {.pool_bytes = 60e6, .code_bytes = driver, .exec_bytes = 4e6}};
  made.setup.capture_seconds = seconds;
  made.one_exec_bytes = 3e6;
  made.exec_resolution_bytes = 1e3;
  return {made, made};
}

Cycle cycle(double seconds, double driver, double kept) {
  Cycle made;
  made.captures = captures(seconds, driver);
  made.destroyed.driver_bytes = 1e6;
  made.emptied = {.pool_bytes = 120e6, .driver_bytes = 0};
  made.kept.driver_bytes = kept;
  return made;
}

Sleep three_cycles(Outputs outputs) {
  return sleep_of({cycle(2, 20e6, 47e6), cycle(0.3, 0, 5e6), cycle(0.5, 0, 0)}, captures(0.4, 0),
                  std::move(outputs));
}

TEST(BillSleep, SaysTheFirstCycleApart) {
  const Sleep sleep = three_cycles({.checked = 2});
  EXPECT_DOUBLE_EQ(168e6, sleep.cycles.front().took.total());
  EXPECT_DOUBLE_EQ(0.8, sleep.again_seconds) << "the median of 0.6, 1.0 and 0.8 s";
  EXPECT_THAT(sleep.exec_bytes, Optional(DoubleNear(6e6, 1)));
  EXPECT_DOUBLE_EQ(2e3, sleep.exec_resolution_bytes);
  EXPECT_EQ(
      " Of 168 MB that the first captures took, 1.00 MB come back with the graphs, 120 MB with their pool, "
      "and "
      "47.0 MB stay (47.0 MB with the driver); after 3 cycles 5.00 MB more stay. To capture again takes "
      "800ms, "
      "at first 4.00s; then outputs equal eager's.",
      sleep_text(sleep));
}

TEST(BillSleep, SaysHowOutputsDiffer) {
  EXPECT_THAT(sleep_text(three_cycles({.identical = false, .tolerated = "by little"})),
              HasSubstr("outputs equal eager's within the limit."));
  EXPECT_THAT(sleep_text(three_cycles({.identical = false, .differ_at = 8})),
              HasSubstr("outputs at size 8 differ from eager's."));
}

}  // namespace
}  // namespace graphbench::bill
