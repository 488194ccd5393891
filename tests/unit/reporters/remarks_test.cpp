// Which remarks a result earns, and that a clean one earns none.
#include "reporters/console/remarks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/golden/sample_results.hpp"

namespace graphbench::reporters {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Complete, on a GPU, enough launches and warmups: nothing to remark.
model::Result clean_result() {
  model::Result result = samples::default_sweep_result();
  result.plan.launches = 5;
  for (model::CellResult& cell : result.cells) {
    for (model::Launch& launch : cell.launches) launch.latency_samples.front() = launch.latency_seconds->p50;
  }
  return result;
}

TEST(Warnings, AreAbsentForACleanResult) {
  EXPECT_THAT(warnings_of(clean_result()), IsEmpty());
}

TEST(Warnings, SayThatASweepWasInterrupted) {
  model::Result result = clean_result();
  result.complete = false;
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("interrupted")));
}

TEST(Warnings, NameTheHostDevice) {
  model::Result result = clean_result();
  result.environment.device.kind = "host";
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("not of a GPU")));
}

TEST(Warnings, NameOnlyTheWarmupsWhoseFirstStepsAreSlow) {
  model::Result result = clean_result();
  model::CellResult& cell = result.cells.front();
  ASSERT_EQ(cell.cell.warmup, 0);
  cell.launches.front().latency_samples.front() = 16 * cell.launches.front().latency_seconds->p50;
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("with 0 warmups")));
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("in 1 of 81 cells (at most 16.0x)")));
  EXPECT_THAT(warnings_of(result), Not(Contains(HasSubstr("with 10 warmups"))));
}

TEST(Warnings, CountNoisyCells) {
  model::Result result = clean_result();
  model::Summary& latency = *result.cells[7].launches.front().latency_seconds;
  latency.p90 = latency.p50 * 1.5;
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("in 1 cell the slowest tenth")));
}

TEST(Warnings, DistrustOutputsThatDiffer) {
  model::Result result = clean_result();
  result.cells[3].check->identical = false;
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("do not trust")));
}

TEST(Warnings, AskForMoreLaunchesBelowThree) {
  model::Result result = clean_result();
  result.plan.launches = 2;
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("--launches 5")));
}

TEST(Troubles, AreListedOnceACause) {
  model::Result result = samples::small_result();
  model::CellResult again = result.cells[10];
  result.cells[9] = again;
  std::ostringstream out;
  print_troubles(out, result, {});
  EXPECT_THAT(out.str(),
              HasSubstr("failed out_of_memory: allocate 4 GiB on cuda:0: 1 GiB is free (2 cells, first"));
  EXPECT_THAT(out.str(), HasSubstr("skipped host_op: "));
}

TEST(Troubles, KeepMessagesToOneLine) {
  model::Result result = samples::small_result();
  result.cells[10].reason->message = "first\nsecond\033[2J";
  std::ostringstream out;
  print_troubles(out, result, {});
  EXPECT_THAT(out.str(), HasSubstr("first second [2J"));
}

TEST(Closing, CountsCellsAndNamesTheFile) {
  std::ostringstream out;
  TableOptions options;
  options.json_path = "out/result.json";
  print_closing(out, samples::small_result(), options);
  EXPECT_THAT(out.str(),
              HasSubstr("12 cells: 10 ok, 1 failed, 1 skipped; the result is in out/result.json\n"));
}

}  // namespace
}  // namespace graphbench::reporters
