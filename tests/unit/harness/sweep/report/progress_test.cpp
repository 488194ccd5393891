// When progress is shown and when it is held back; what it shows is in tests/golden.
#include "harness/sweep/report/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace graphbench::reporters {
namespace {

model::Progress at(std::int64_t tasks_done, double elapsed_seconds) {
  model::Progress progress;
  progress.cells_done = tasks_done;
  progress.cells_total = 10;
  progress.tasks_done = tasks_done;
  progress.tasks_total = 10;
  progress.elapsed_seconds = elapsed_seconds;
  progress.worker = "mlp/tiny/fp32/forward/w0/eager";
  return progress;
}

std::int64_t count(const std::string& text, char c) {
  return std::count(text.begin(), text.end(), c);
}

TEST(ProgressPrinter, RedrawsATerminalAtMostTenTimesASecond) {
  std::ostringstream out;
  ProgressPrinter printer(out, true, false);
  for (int i = 0; i <= 100; ++i) printer.update(at(0, i * 0.01));
  EXPECT_LE(count(out.str(), '\r'), 11);
  EXPECT_GE(count(out.str(), '\r'), 9);
}

TEST(ProgressPrinter, DrawsTheLastStateBeforeItEnds) {
  std::ostringstream out;
  ProgressPrinter printer(out, true, false);
  printer.update(at(9, 1.0));
  printer.update(at(10, 1.01));
  printer.finish();
  EXPECT_NE(out.str().find("[10/10] 100%"), std::string::npos);
  EXPECT_EQ(out.str().back(), '\n');
}

TEST(ProgressPrinter, HoldsBackPlainLinesWithinASecondAndShowsTheLast) {
  std::ostringstream out;
  ProgressPrinter printer(out, false, false);
  for (int i = 1; i <= 10; ++i) printer.update(at(i, i * 0.01));
  EXPECT_EQ(count(out.str(), '\n'), 1);
  printer.finish();
  EXPECT_EQ(count(out.str(), '\n'), 2);
  EXPECT_NE(out.str().find("[10/10] 100%"), std::string::npos);
}

TEST(ProgressPrinter, KeepsTheLiveLineWithinItsWidth) {
  std::ostringstream out;
  ProgressPrinter printer(out, true, false, 60);
  model::Progress progress = at(3, 100);
  progress.worker = std::string(200, 'w');
  progress.eta_seconds = 1000;
  progress.failures = 2;
  printer.update(progress);
  const std::string line = out.str().substr(std::string("\r\033[K").size());
  EXPECT_LE(line.size(), 60U);
  EXPECT_NE(line.find("16m40s left, 2 failed"), std::string::npos);
}

TEST(ProgressPrinter, SaysNothingAtAllWithoutUpdates) {
  std::ostringstream out;
  ProgressPrinter(out, true, true).finish();
  ProgressPrinter(out, false, true).finish();
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace graphbench::reporters
