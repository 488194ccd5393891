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
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr("363us                             4711\n"),
                                       HasSubstr("made: entries"), Not(HasSubstr("load: "))));
  result.cells.front().package.emplace().load_seconds = 0.043;
  result.cells.front().package->first_step_seconds = 0.067;
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr("43.0ms"), HasSubstr("67.0ms")));
  EXPECT_EQ(print(result, {}).find("rested") != std::string::npos,
            print(samples::small_result(), {}).find("rested") != std::string::npos);
}

TEST(Table, SaysWhyThereIsNoBreakEven) {
  model::Result result = samples::interrupted_result();
  const auto even_of = [&](model::NoBreakeven reason) {
    result.cells[0].summary.no_breakeven = reason;
    std::string table = print(result, {});
    table = table.substr(table.find("    8  1 |"));
    table = table.substr(0, table.find('\n'));
    return table.substr(table.rfind(' ') + 1);
  };
  EXPECT_EQ(even_of(model::NoBreakeven::never), "never");
  EXPECT_EQ(even_of(model::NoBreakeven::not_told_apart), "?");
  EXPECT_EQ(even_of(model::NoBreakeven::eager_not_swept), "-");
}

TEST(Table, HasGainsOfThroughputWhereModesStillFitSideBySide) {
  const auto print_at = [](int width) {
    TableOptions options;
    options.width = width;
    return print(samples::small_result(), options);
  };
  EXPECT_THAT(print_at(120), AllOf(HasSubstr("gain  setup  even |"), Not(HasSubstr("rate"))));
  EXPECT_THAT(print_at(134), HasSubstr("gain   rate  setup  even |"));
  EXPECT_THAT(print_at(100), HasSubstr("gain   rate  setup  even\n"));
  EXPECT_THAT(print_at(67), HasSubstr("gain  setup  even\n"));
}

TEST(Table, NamesCellsThatGainLatencyAndNoThroughput) {
  model::Result result = samples::small_result();
  EXPECT_THAT(print(result, {}), Not(HasSubstr("back to back")));
  const auto set = [&](std::size_t cell, double low, double high) {
    model::CellSummary& summary = result.cells[cell].summary;
    summary.throughput_over_eager = (low + high) / 2;
    summary.throughput_ci95_low = low;
    summary.throughput_ci95_high = high;
  };
  set(1, 0.99, 1.01);
  set(2, 1.1, 1.2);
  set(7, 0.9, 0.92);
  EXPECT_THAT(print(result, {}), HasSubstr("no gain back to back: whole b1/w0 1.00x?, b256/w0 0.91x\n"));
}

TEST(Table, SaysWhatAProcessPaysOnce) {
  model::Result result = samples::small_result();
  EXPECT_THAT(print(result, {}), Not(HasSubstr("first setups")));
  result.cells[1].summary.setup_once_seconds = 1e-3;
  result.cells[4].summary.setup_once_seconds = 2e-3;
  EXPECT_THAT(print(result, {}),
              HasSubstr("a process's first setups take longer, all batches together: whole 2.00ms\n"));
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
  for (model::Launch& launch : launches) launch.setups.assign(2, launch.setup);
  EXPECT_THAT(print(result, {}), HasSubstr("3.00s"));
}

}  // namespace
}  // namespace graphbench::reporters
