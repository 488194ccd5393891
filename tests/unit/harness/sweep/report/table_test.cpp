// Tests the table's layout, progress, and columns of samples that no sweep on the host device can fill.
// tests/golden tests what the table shows; in tests/integration NumPy opens whole files of samples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/sweep/report/progress.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "harness/sweep/report/sample_file.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench::sweep {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string print(const model::Result& result, const reporters::PrintOptions& options) {
  std::ostringstream out;
  reporters::format_named("table").print(out, report_of(result), options);
  return out.str();
}

// The size of the longest line, up to the blank line that ends the last section.
std::size_t widest_row(const std::string& table) {
  std::istringstream lines(table.substr(0, table.rfind("\n\n")));
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Table, FitsItsWidth) {
  const model::Result result = samples::default_sweep_result();
  for (const int width : {80, 100, 119, 120, 200}) {
    reporters::PrintOptions options;
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
  EXPECT_THAT(print(result, {}), Not(HasSubstr("made"))) << "modes stand side by side";
  EXPECT_THAT(print(result, {false, 95}), AllOf(HasSubstr("363us                             4711\n"),
                                                HasSubstr("made: cache entries"), Not(HasSubstr("load: "))));
  result.cells.front().package.emplace().load_seconds = 0.043;
  result.cells.front().package->first_step_seconds = 0.067;
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr("43.0ms"), HasSubstr("67.0ms")));
}

TEST(Table, ExplainsOnlyTheColumnsThatItHas) {
  model::Result result = samples::small_result();
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr("gain: "), HasSubstr("(?: unknown")));
  std::erase_if(result.cells, [](const model::CellResult& each) { return each.cell.mode != "eager"; });
  ASSERT_FALSE(result.cells.empty());
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr("submit: "), HasSubstr("W: warmups"),
                                       Not(HasSubstr("gain: ")), Not(HasSubstr("(?: unknown"))));
}

TEST(Table, LeavesOutACodeThatDoesNotFitAndHasItBelow) {
  model::Result result = samples::small_result();
  const auto fail = [](model::CellResult& cell) {
    cell.status = model::CellStatus::failed;
    cell.reason = model::Reason{"worker_crashed_in_a_way_with_a_long_code", "it ended"};
  };
  for (model::CellResult& cell : result.cells) {
    if (cell.cell.mode == "eager") fail(cell);
  }
  const std::string some = print(result, {});
  EXPECT_THAT(some, AllOf(HasSubstr(" failed |"), Not(ContainsRegex("[a-z_]~")),
                          HasSubstr("failed worker_crashed_in_a_way_with_a_long_code: it ended")));
  std::ranges::for_each(result.cells, fail);
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr("| eager  | whole"), HasSubstr("| failed | failed"),
                                       Not(ContainsRegex("[a-z_]~"))));
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
  EXPECT_EQ(even_of(model::NoBreakeven::never), "?") << "without an interval there may be a gain";
  result.cells[0].summary.speedup_ci95_low = 0.8;
  result.cells[0].summary.speedup_ci95_high = 0.9;
  EXPECT_EQ(even_of(model::NoBreakeven::never), "never");
  EXPECT_EQ(even_of(model::NoBreakeven::not_told_apart), "?");
  EXPECT_EQ(even_of(model::NoBreakeven::eager_not_swept), "-");
  EXPECT_EQ(even_of(model::NoBreakeven::no_graph), "-");
}

TEST(Table, SaysNoGraphInPlaceOfAGain) {
  model::Result result = samples::small_result();
  result.cells[1].summary.speedup_over_eager.reset();
  result.cells[1].summary.graphed = 0;
  EXPECT_THAT(print(result, {}), HasSubstr("no graph"));
}

TEST(Table, HasTheIntervalOfEachGainInPlaceOfDeviceTimes) {
  model::Result result = samples::small_result();
  model::CellSummary& summary = result.cells[1].summary;
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr(" device "), Not(HasSubstr("95 %"))));
  summary.speedup_ci95_low = 2.304;
  summary.speedup_ci95_high = 9.99;
  EXPECT_THAT(print(result, {}), AllOf(HasSubstr(" 2.40x 2.30-9.99 "), HasSubstr("gain      95 %  setup"),
                                       Not(HasSubstr("latency device"))));
  EXPECT_THAT(print(result, {false, 140}), HasSubstr(" device "));
  EXPECT_LE(widest_row(print(result, {})), 120U);
  summary.speedup_ci95_high = 12.04;
  EXPECT_THAT(print(result, {}), HasSubstr(" 2.40x 2.3-12.0 "));
}

TEST(Table, ShowsNoGainThatIsKnownAsNone) {
  model::Result result = samples::small_result();
  model::CellSummary& summary = result.cells[1].summary;
  summary.speedup_over_eager = 1.0042;
  summary.speedup_ci95_low = 1.001;
  summary.speedup_ci95_high = 1.009;
  EXPECT_THAT(print(result, {}), HasSubstr(" 1.004x 1.00-1.01 "));
  summary.speedup_ci95_low = 0.999;
  EXPECT_THAT(print(result, {}), HasSubstr(" 1.00x? 1.00-1.01 "));
}

TEST(Table, HasGainsOfThroughputWhereModesStillFitSideBySide) {
  const auto print_at = [](int width) {
    reporters::PrintOptions options;
    options.width = width;
    return print(samples::small_result(), options);
  };
  EXPECT_THAT(print_at(120), AllOf(HasSubstr("gain  setup  even |"), Not(HasSubstr("rate"))));
  EXPECT_THAT(print_at(134), HasSubstr("gain   rate  setup  even |"));
  EXPECT_THAT(print_at(95), HasSubstr("gain   rate  setup  even\n"));
  EXPECT_THAT(print_at(67), HasSubstr("gain  setup  even\n"));
}

TEST(Table, HasMemoryOfGraphsWhereItIsKnownAndFits) {
  model::Result result = samples::small_result();
  const auto print_at = [&](int width) {
    reporters::PrintOptions options;
    options.width = width;
    return print(result, options);
  };
  EXPECT_THAT(print_at(200), Not(HasSubstr("  graphs  "))) << "no device told it";
  for (model::CellResult& cell : result.cells) {
    if (cell.cell.mode != "eager") cell.memory->exec_bytes = 1'800'000;
  }
  EXPECT_THAT(print_at(149), AllOf(HasSubstr("gain   rate  setup  even |"), Not(HasSubstr("  graphs  "))));
  EXPECT_THAT(print_at(150), AllOf(HasSubstr("gain   rate  setup  graphs  even |"), HasSubstr(" 1.80 MB ")));
  EXPECT_THAT(print_at(95), HasSubstr("gain   rate  setup  graphs  even\n"));
}

TEST(Table, MarksTheGainThatIsOfTwoPrograms) {
  model::Result result = samples::small_result();
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

// The bytes of one array of the file, without the array's header line.
std::vector<int> bytes_of(const std::string& file, const char* member) {
  zip_error_t error{};
  zip_source_t* source = zip_source_buffer_create(file.data(), file.size(), 0, &error);
  const std::unique_ptr<zip_t, decltype(&zip_discard)> archive(
      zip_open_from_source(source, ZIP_RDONLY, &error), &zip_discard);
  EXPECT_NE(archive, nullptr);
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> part(zip_fopen(archive.get(), member, 0),
                                                                &zip_fclose);
  EXPECT_NE(part, nullptr) << member;
  std::string array(4096, '\0');
  const zip_int64_t size = zip_fread(part.get(), array.data(), array.size());
  EXPECT_GT(size, 0);
  array.resize(static_cast<std::size_t>(size));
  std::vector<int> elements;
  for (const char byte : std::string_view(array).substr(array.find('\n') + 1)) elements.push_back(byte);
  return elements;
}

model::Launch launch_of(bool throttled) {
  model::Launch launch{};
  launch.latency_samples = {3e-6, 1e-6, 2e-6};
  launch.submit_samples = {2e-6, 1e-6, 1e-6};
  launch.latency_started_ns = {1, 2, 3};
  launch.device_samples = {1e-6, 1e-6};
  launch.device_started_ns = {4, 5};
  launch.machine.emplace().throttled = throttled;
  return launch;
}

TEST(SampleFile, FlagsSamplesOfAThrottledLaunch) {
  model::Result result;
  model::CellResult& cell = result.cells.emplace_back();
  cell.launches = {launch_of(false), launch_of(true), launch_of(true)};
  cell.launches[2].machine.reset();
  EXPECT_EQ(bytes_of(to_sample_file(result), "throttled.npy"),
            (std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}));
}

TEST(SampleFile, SaysWhichPlacementASampleIsOf) {
  model::Result result;
  model::Launch& launch = result.cells.emplace_back().launches.emplace_back(launch_of(false));
  launch.placements.resize(2);
  for (model::LaunchPlacement& placement : launch.placements)
    placement.latency_samples = placement.device_samples = 1;
  EXPECT_EQ(bytes_of(to_sample_file(result), "placement.npy"), (std::vector<int>{0, 1, 2, 1, 2}));
}

}  // namespace
}  // namespace graphbench::sweep
