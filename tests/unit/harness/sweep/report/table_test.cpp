// The table's layout rules; what it shows of each sample is in tests/golden.
#include "harness/sweep/report/table.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/golden/sample_results.hpp"

namespace graphbench::reporters {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string print(const model::Result& result, const TableOptions& options) {
  std::ostringstream out;
  print_table(out, result, options);
  return out.str();
}

// The longest line up to the blank line that ends the last section.
std::size_t widest_row(const std::string& table) {
  std::istringstream lines(table.substr(0, table.rfind("\n\n")));
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Table, FitsItsWidth) {
  const model::Result result = samples::default_sweep_result();
  for (const int width : {80, 100, 119, 120, 200}) {
    TableOptions options;
    options.width = width;
    EXPECT_LE(widest_row(print(result, options)), static_cast<std::size_t>(std::max(width, 92))) << width;
  }
}

TEST(Table, NeverCutsABatch) {
  model::Result result = samples::interrupted_result();
  result.cells[0].cell.batch = 12'345'678;
  EXPECT_THAT(print(result, {}), HasSubstr("12345678  1 |"));
}

TEST(Table, HasColumnsOfWhatSomeCellHasOfCacheAndPackage) {
  model::Result result = samples::small_result();
  result.cells.front().cache.emplace().hits = 5;
  EXPECT_THAT(print(result, {}), Not(HasSubstr("made")));
  result.cells.front().cache->misses = 4711;
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr("363us                      4711\n"),
                                       HasSubstr("made: entries"), Not(HasSubstr("load: "))));
  result.cells.front().package.emplace().load_seconds = 0.043;
  result.cells.front().package->first_step_seconds = 0.067;
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr("43.0ms"), HasSubstr("67.0ms")));
  EXPECT_EQ(print(result, {}).find("rested") != std::string::npos,
            print(samples::small_result(), {}).find("rested") != std::string::npos);
}

TEST(Table, SaysHowIdleEagerLeavesItsDeviceAndWhichGainIsOfTwoPrograms) {
  model::Result result = samples::small_result();
  model::CellSummary& eager = result.cells.front().summary;
  eager.launch_bound = 0.814;
  eager.predicted_gain = 4.9;
  EXPECT_THAT(
      print(result, {}),
      ContainsRegex("eager leaves its device idle: b1 81 % .one graph should gain 4.90x, whole gains ~2"));
  EXPECT_THAT(print(result, {}), Not(HasSubstr("*")));
  result.cells[1].records.emplace().other_kernels = 2;
  EXPECT_THAT(print(result, {}), ContainsRegex("~[0-9.]+\\*"));
}

TEST(Table, TakesTheMedianCaptureCostOverLaunches) {
  model::Result result = samples::interrupted_result();
  auto& launches = result.cells[0].launches;
  ASSERT_EQ(launches.size(), 3U);
  launches[0].setup.capture_seconds = 5;
  launches[1].setup.capture_seconds = 1;
  launches[2].setup.capture_seconds = 3;
  EXPECT_THAT(print(result, {}), HasSubstr("3.00s"));
}

}  // namespace
}  // namespace graphbench::reporters
