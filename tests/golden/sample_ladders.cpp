// No machine measured these numbers: they are chosen so that every unit occurs.
#include "tests/golden/sample_ladders.hpp"

#include <utility>

namespace graphbench::samples {
namespace {

model::Cell cell_of(std::int64_t batch) {
  return {.workload = "mlp",
          .preset = "tiny",
          .dtype = "fp32",
          .pass = "forward",
          .batch = batch,
          .warmup = 1,
          .mode = "whole"};
}

model::Summary times(double p50) {
  model::Summary summary{};
  summary.count = 4;
  summary.min = p50 / 2;
  summary.p50 = summary.mean = p50;
  summary.p90 = p50 * 2;
  summary.max = p50 * 3;
  return summary;
}

model::Setup setup_of(double seconds) {
  return {.prepare_seconds = {},
          .warmup_seconds = seconds,
          .capture_seconds = 2 * seconds,
          .break_seconds = {},
          .instantiate_seconds = 3 * seconds,
          .upload_seconds = 4 * seconds,
          .first_step_seconds = 5 * seconds,
          .opening = {},
          .compiled_from = {},
          .compiled_pieces = {}};
}

}  // namespace

ladder::LadderFindings served_ladders() {
  ladder::Ladder ladder;
  ladder.id = "mlp/tiny/fp32/forward/b8/w1/whole/ladder-12345678/traffic-12345678";
  ladder.cell = cell_of(8);
  ladder.sizes = {1, 8};
  ladder.status = model::CellStatus::ok;
  ladder.traffic.name = "uniform:1:8";
  ladder.traffic.steps = 60;
  ladder.traffic.rows = 240;
  ladder.traffic.sizes = 8;
  ladder::LadderLaunch& launch = ladder.launches.emplace_back();
  launch.busy_seconds = 1.234e-3;
  launch.memory.pool_bytes = 2'000'000;
  launch.memory.exec_bytes = 1'000'000;
  launch.latency_seconds = times(2.05e-5);
  launch.submit_seconds = times(1.5e-6);
  launch.sizes.resize(2);
  launch.sizes[0] = {.size = 8, .uses = 50, .rows = {{8, 50}}, .setup = setup_of(1e-5), .step_seconds = 3e-5};
  launch.sizes[1] = {.size = 1, .uses = 10, .rows = {{1, 10}}, .setup = setup_of(2e-5), .step_seconds = 1e-5};
  ladder::Suggestion made;
  made.cell = cell_of(8);
  made.from = ladder.id;
  made.sizes = {1, 8};
  made.step_seconds = 2.2e-5;
  made.eager_step_seconds = 4e-5;
  made.startup_seconds = 1.7e-3;
  made.memory_bytes = 3'210'000;
  made.frontier = {{1, 3.1e-5, {8}}, {2, 2.2e-5, {1, 8}}};
  return {.ladders = {std::move(ladder)}, .suggestions = {std::move(made)}, .best = {}};
}

bill::Bill measured_bill() {
  bill::Bill bill;
  bill.id = "mlp/tiny/fp32/forward/b64/w1/whole/bill-12345678";
  bill.cell = cell_of(64);
  bill.capture_sizes = {1, 64};
  bill.status = model::CellStatus::ok;
  bill.sentence = "Reserve 1.46 GiB (99 %).";
  bill.prediction.emplace();
  bill.prediction->growth = {
      .pool_bytes = 4'194'304, .workspace_bytes = 0, .code_bytes = 12'345, .exec_bytes = 2.5e9};
  bill.prediction->setup = setup_of(1e-3);
  bill.prediction->sizes = {{.size = 64, .mode = "whole", .growth = bill.prediction->growth}};
  bill.measured.emplace();
  bill.measured->growth = bill.prediction->growth;
  bill.measured->growth.code_bytes = -54'321;
  bill.measured->setup = setup_of(2.34e-4);
  bill.measured->sizes = bill.prediction->sizes;
  bill.launches.push_back({.setup = bill.measured->setup});
  bill.sleep = bill::Sleep{.again = setup_of(3.21e-4), .exec_bytes = 2.1e6, .outputs = {.checked = 1}};
  bill.sleep->cycles.push_back({.took = bill.measured->growth,
                                .destroyed = {.driver_bytes = 1'234'567},
                                .emptied = {.pool_bytes = 4'194'304},
                                .kept = {.driver_bytes = 2.4e9},
                                .setup = bill.measured->setup,
                                .destroy_seconds = 5.6e-5});
  return bill;
}

judge::CellHistory changed_series() {
  judge::CellHistory series;
  series.cell = "mlp/tiny/fp32/forward/b8/w1/whole";
  for (std::int64_t i = 0; i < 8; ++i) {
    const double median = (i < 5 ? 2.01e-5 : 2.52e-5) + 1e-8 * static_cast<double>(i);
    judge::HistoryPoint& point = series.points.emplace_back();
    point.entry.id = i + 1;
    point.entry.started_at = "2026-01-0" + std::to_string(i + 1) + "T00:00:00Z";
    point.median = median;
    point.lowest = median * 0.99;
    point.highest = median * 1.02;
    point.launches = 3;
  }
  series.changes = {{.index = 5, .ratio = 1.25, .p = 0.001}};
  series.points_min = 6;
  return series;
}

}  // namespace graphbench::samples
