// Compares what the reporters of results print with the files in folders next to this one.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "harness/model/codec/documents.hpp"
#include "harness/sweep/report/progress.hpp"
#include "harness/sweep/report/result_report.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"
#include "tests/golden/expect_golden.hpp"
#include "tests/golden/sample_results.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench {
namespace {

std::string table_of(const model::Result& result, const reporters::PrintOptions& options,
                     const std::string& json_path) {
  std::ostringstream out;
  reporters::format_named("table").print(out, sweep::report_of(result, {}, json_path), options);
  return out.str();
}

model::Progress progress_at(std::int64_t tasks, double elapsed_seconds) {
  model::Progress progress;
  progress.cells_done = tasks * 9;
  progress.cells_total = 324;
  progress.tasks_done = tasks;
  progress.tasks_total = 36;
  progress.elapsed_seconds = elapsed_seconds;
  if (tasks > 0)
    progress.eta_seconds = elapsed_seconds / static_cast<double>(tasks) * static_cast<double>(36 - tasks);
  progress.worker = "attention/base/bf16/forward/w10/piecewise";
  progress.phase = "measure";
  progress.batch = 256;
  progress.failures = tasks / 3;
  return progress;
}

std::string progress_of(bool terminal, bool colours) {
  std::ostringstream out;
  sweep::ProgressPrinter printer(out, terminal, colours);
  printer.update(progress_at(0, 0));
  printer.update(progress_at(0, 0.05));  // too early to redraw
  printer.update(progress_at(0, 0.5));   // plain: no task finished
  printer.update(progress_at(1, 5));
  printer.update(progress_at(2, 5.5));  // plain: within the same second
  printer.update(progress_at(3, 90));
  printer.update(progress_at(36, 3700));
  printer.finish();
  return out.str();
}

TEST(Golden, Documents) {
  expect_golden("json/small.json", model::to_json(samples::small_result()));
  expect_golden("json/interrupted.json", model::to_json(samples::interrupted_result()));
  expect_golden("json/instruments.json", model::to_json(samples::instruments_result()));
}

// findings_test.py computes each figure of these findings again.
TEST(Golden, FindingsOfACommittedSweep) {
  const std::string path = GRAPHBENCH_SOURCE_FOLDER "/ci/baselines/h200.json";
  const model::Result result = model::read_result(test::read_file(path), path);
  const nlohmann::ordered_json head = nlohmann::ordered_json::parse(model::head_to_json(result) + "]}");
  const nlohmann::ordered_json findings = {{"conclusions", head["conclusions"]}, {"notes", head["notes"]}};
  expect_golden("json/h200.findings.json", findings.dump(2) + "\n");
  std::ostringstream out;
  reporters::print_cards(out, sweep::report_of(result).conclusions, {});
  expect_golden("console/h200.conclusions.txt", out.str());
}

TEST(Golden, MetricsOfASmallSweep) {
  const model::Result result = samples::small_result();
  sweep::SweepMetrics metrics(result.tool_version);
  metrics.begin_sweep("cuda:0");
  metrics.set_device("cuda:0", result.environment.device);
  for (const model::CellResult& cell : result.cells) metrics.set_cell("cuda:0", cell);
  model::Progress progress;
  progress.cells_done = progress.cells_total = static_cast<std::int64_t>(result.cells.size());
  metrics.set_progress("cuda:0", progress);
  metrics.set_notes("cuda:0", model::notes_of(result));
  metrics.end_sweep("cuda:0", 1767323106);
  expect_golden("prometheus/small.txt", *metrics.text());
}

// tests/dashboards asks boards and alerts about these.
TEST(Golden, GainsOfTheCommittedSweeps) {
  sweep::SweepMetrics metrics("1");
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GRAPHBENCH_SOURCE_FOLDER "/ci/baselines"))
    paths.insert(entry.path().string());
  for (const std::string& path : paths)
    for (const model::CellResult& cell : model::read_result(test::read_file(path), path).cells)
      metrics.set_cell("cuda:0", cell);
  std::string gains;
  std::istringstream lines(*metrics.text());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("graphbench_launch_bound_") || line.starts_with("graphbench_speedup_"))
      gains += line + "\n";
  }
  expect_golden("prometheus/baselines.txt", gains);
}

TEST(Golden, Tables) {
  const auto expect = [](const std::string& name, const model::Result& result,
                         const reporters::PrintOptions& options, const std::string& json_path = "") {
    expect_golden("console/" + name + ".txt", table_of(result, options, json_path));
  };
  expect("small.table", samples::small_result(), {false, 120}, "graphbench.json");
  expect("small.table.colours", samples::small_result(), {true, 120}, "graphbench.json");
  expect("small.table.narrow", samples::small_result(), {false, 80});
  expect("interrupted.table", samples::interrupted_result(), {false, 120});
  expect("instruments.table", samples::instruments_result(), {false, 120});
  expect("default_sweep.table", samples::default_sweep_result(), {false, 120}, "graphbench.json");
}

TEST(Golden, Progress) {
  expect_golden("console/progress.terminal.txt", progress_of(true, false));
  expect_golden("console/progress.terminal.colours.txt", progress_of(true, true));
  expect_golden("console/progress.plain.txt", progress_of(false, false));
}

}  // namespace
}  // namespace graphbench
