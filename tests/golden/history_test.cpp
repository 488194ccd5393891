// Compares histories, as `history show` prints them, with the files in folders next to this one.
#include "harness/judge/history/history.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "harness/model/codec/documents.hpp"
#include "tests/golden/expect_golden.hpp"

namespace graphbench {
namespace {

judge::HistoryEntry entry(std::int64_t id) {
  judge::HistoryEntry made;
  made.id = id;
  made.label = {"0123456789abcdef0123456789abcdef01234567", "main", id == 21 ? "new driver" : ""};
  made.started_at = "2026-10-" + std::string(id < 10 ? "0" : "") + std::to_string(id) + "T02:00:00Z";
  made.fingerprint = "f1f83a775be710dc";
  made.plan_hash = "4cf57dbbb0ef6e5d";
  made.device = "NVIDIA H200";
  made.tool_version = "0.1.0";
  made.complete = id != 3;
  made.cells = 324;
  made.launches = 5;
  return made;
}

// A history of `count` entries, whose medians are 5 % higher from the 21st entry on.
judge::CellHistory series(std::int64_t count) {
  judge::CellHistory made;
  made.cell = "mlp/base/bf16/forward/b8/w3/whole";
  made.points_min = 11;
  for (std::int64_t id = 1; id <= count; ++id) {
    judge::HistoryPoint point;
    point.entry = entry(id);
    // id * 7 % 5 looks like the noise of measurements, and is the same on every platform.
    point.median = (id < 21 ? 161e-6 : 169e-6) + static_cast<double>(id * 7 % 5) * 0.3e-6;
    point.lowest = point.median * 0.994;
    point.highest = point.median * 1.006;
    point.launches = 5;
    made.points.push_back(point);
  }
  if (count >= 30) made.changes = {{20, 1.0497, 0.001}};
  if (count >= 11) made.correlation = 0.12;
  return made;
}

std::string plot(const judge::CellHistory& history, const judge::PlotOptions& options) {
  std::ostringstream out;
  judge::print_history(out, history, options);
  return out.str();
}

TEST(GoldenHistory, Plots) {
  judge::PlotOptions options;
  expect_golden("console/history.unicode.txt", plot(series(30), options));
  options.colours = true;
  expect_golden("console/history.colours.txt", plot(series(30), options));
  options.colours = false;
  options.unicode = false;
  expect_golden("console/history.ascii.txt", plot(series(30), options));
  // More entries than columns.
  options.width = 40;
  options.rows = 5;
  judge::CellHistory narrow = series(30);
  narrow.left_out = 1;
  narrow.older = 12;
  expect_golden("console/history.narrow.txt", plot(narrow, options));
}

TEST(GoldenHistory, ShortAndFlatSeries) {
  expect_golden("console/history.one.txt", plot(series(1), {}));
  judge::CellHistory flat = series(12);
  for (judge::HistoryPoint& point : flat.points) point.median = 100e-6;
  flat.correlation = 0.62;
  expect_golden("console/history.flat.txt", plot(flat, {}));
}

TEST(GoldenHistory, Documents) {
  expect_golden("json/history.series.json", judge::series_to_json(series(2)));
  expect_golden("json/history.entries.json", judge::entries_to_json(std::vector{entry(1), entry(3)}));
}

TEST(GoldenHistory, Lists) {
  judge::HistoryEntry bare = entry(4);
  bare.label = {};
  std::ostringstream out;
  reporters::format_named("table").print(out, judge::report_of({entry(1), entry(3), bare, entry(21)}), {});
  expect_golden("console/history.entries.txt", out.str());
}

TEST(GoldenHistory, SeriesAsNumbers) {
  judge::CellHistory history = series(12);
  for (const char* const format : {"csv", "markdown"}) {
    std::ostringstream out;
    reporters::format_named(format).print(out, judge::report_of(history), {});
    expect_golden("console/history.series." + std::string(format == std::string("csv") ? "csv" : "md"),
                  out.str());
  }
}

}  // namespace
}  // namespace graphbench
