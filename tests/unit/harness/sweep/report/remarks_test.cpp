// Which remarks a result earns, and that a clean one earns none.
#include <gmock/gmock.h>

#include <sstream>

#include "harness/sweep/report/table.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::reporters {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
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

TEST(Warnings, AreAbsentForACleanResultAndNameWhatIsNot) {
  const auto expect = [](void (*spoil)(model::Result&), const char* words) {
    model::Result result = clean_result();
    spoil(result);
    EXPECT_THAT(warnings_of(result), ElementsAre(HasSubstr(words)));
  };
  EXPECT_THAT(warnings_of(clean_result()), IsEmpty());
  expect([](model::Result& r) { r.complete = false; }, "interrupted");
  expect([](model::Result& r) { r.environment.device.kind = "host"; }, "not of a GPU");
  expect([](model::Result& r) { r.cells[3].check->identical = false; }, "do not trust");
  expect([](model::Result& r) { r.plan.launches = 2; }, "--launches 5");
  expect(
      [](model::Result& r) {
        model::Summary& latency = *r.cells[7].launches.front().latency_seconds;
        latency.p90 = latency.p50 * 1.5;
      },
      "in 1 cell the slowest tenth");
}

TEST(Warnings, NameTheFirstStepThatIsAnotherProgramThanEager) {
  model::Result result = clean_result();
  for (const std::size_t i : {1u, 2u, 4u}) {
    model::StepRecords& records = result.cells[i].records.emplace();
    records.eager_kernels = 165;
    records.kernels = i == 1 ? 165 : 376;
    records.other_kernels = records.kernels - records.eager_kernels;
    if (i > 1) records.differences = {"0 eager, 211 here: mask_kernel"};
  }
  EXPECT_THAT(warnings_of(result),
              ElementsAre(AllOf(HasSubstr("2 cells are not eager's program"),
                                HasSubstr(model::id_of(result.cells[2].cell) +
                                          " runs 376 kernels where eager runs 165: 0 eager, 211 here"))));
}

TEST(Warnings, NameOnlyTheWarmupsWhoseFirstStepsAreSlow) {
  model::Result result = clean_result();
  model::CellResult& cell = result.cells.front();
  ASSERT_EQ(cell.cell.warmup, 0);
  cell.launches.front().latency_samples.front() = 16 * cell.launches.front().latency_seconds->p50;
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("in 1 of 81 cells with 0 warmups (at most 16.0x)")));
  EXPECT_THAT(warnings_of(result), Not(Contains(HasSubstr("with 10 warmups"))));
}

TEST(Warnings, NameAllSuchWarmupsInOneSentence) {
  model::Result result = clean_result();
  std::int64_t slow = 0;
  for (model::CellResult& cell : result.cells) {
    if (cell.cell.warmup != 0 && cell.cell.warmup != 10) continue;
    cell.launches.front().latency_samples.front() = 4 * cell.launches.front().latency_seconds->p50;
    ++slow;
  }
  ASSERT_EQ(slow, 2 * 81);
  EXPECT_THAT(warnings_of(result), ElementsAre(HasSubstr("in 81 of 81 cells with 0 warmups (at most 4.00x), "
                                                         "in 81 of 81 cells with 10 warmups")));
}

TEST(Warnings, CountCellsWhoseLoadNeverBecameSteady) {
  model::Result result = clean_result();
  result.cells[7].launches.front().sustained.emplace().stopped_by = "steady";
  EXPECT_THAT(warnings_of(result), Not(Contains(HasSubstr("under load"))));
  result.cells[7].launches.front().sustained->stopped_by = "time";
  EXPECT_THAT(warnings_of(result), Contains(HasSubstr("1 cell never became steady under load")));
}

TEST(Troubles, AreListedOnceACauseInOneLine) {
  model::Result result = samples::small_result();
  model::CellResult again = result.cells[10];
  result.cells[9] = again;
  std::ostringstream out;
  print_troubles(out, result, {});
  EXPECT_THAT(out.str(),
              HasSubstr("failed out_of_memory: allocate 4 GiB on cuda:0: 1 GiB is free (2 cells, first"));
  EXPECT_THAT(out.str(), HasSubstr("skipped host_op: "));
  result.cells[10].reason->message = "first\nsecond\033[2J";
  print_troubles(out, result, {});
  EXPECT_THAT(out.str(), HasSubstr("first second [2J"));
}

std::string closing_of(const model::Result& result) {
  std::ostringstream out;
  print_closing(out, result, {});
  return out.str();
}

TEST(Closing, SaysHowManyStepsTheSlowestCellTookToSettle) {
  model::Result result = clean_result();
  for (model::CellResult& cell : result.cells) cell.summary.steady_after = 1;
  ASSERT_EQ(result.cells[0].cell.warmup, 0);
  result.cells[0].summary.steady_after = 12;
  EXPECT_THAT(closing_of(result),
              HasSubstr("until mlp is within 2 % of its median, worst cell: eager 12, whole 1"));
  EXPECT_THAT(closing_of(result), Not(HasSubstr("not seen")));
}

TEST(Closing, OneUnsteadyCellDoesNotHideTheOthers) {
  model::Result result = clean_result();
  for (model::CellResult& cell : result.cells) cell.summary.steady_after = 5;
  for (model::CellResult& cell : result.cells) {
    if (cell.cell.workload == "conv" && cell.cell.mode == "whole") cell.summary.steady_after.reset();
  }
  ASSERT_EQ(result.cells[0].cell.mode, "eager");
  result.cells[0].summary.steady_after.reset();
  EXPECT_THAT(closing_of(result), HasSubstr("eager 5 (not seen in 1 of 9 cells), whole 5, piecewise 5\n"));
  EXPECT_THAT(closing_of(result), HasSubstr("worst cell: eager 5, whole not seen, piecewise 5\n"));
  EXPECT_THAT(closing_of(result), HasSubstr("mostly for noise"));
}

TEST(Closing, SetsTheSpreadBetweenLaunchesBesideThatWithinOne) {
  model::Result result = clean_result();
  EXPECT_THAT(closing_of(result), Not(HasSubstr("between launches")));
  double spread = 0.002;
  for (model::CellResult& cell : result.cells) {
    if (cell.cell.mode != "whole" || cell.cell.workload != "mlp" || cell.cell.warmup != 0) continue;
    cell.summary.latency_seconds->between_launches = spread;
    spread += 0.001;
  }
  ASSERT_DOUBLE_EQ(spread, 0.002 + 9 * 0.001);
  EXPECT_THAT(closing_of(result),
              HasSubstr("median cell: between launches whole 0.6 % (worst 1 %); within a launch "));
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
