// Tests submit times as multiples of what their launches cost at least.
#include <gtest/gtest.h>

#include "harness/model/statistics/cell_summary.hpp"

namespace graphbench::model {
namespace {

Floors floors() {
  Floors floors{};
  floors.kernel_launch = Floor{.p50 = 2e-6, .count = 10};
  floors.graph_launch = Floor{.p50 = 1e-6, .count = 10};
  return floors;
}

CellResult cell(std::int64_t pieces, std::int64_t eager_ops) {
  CellResult cell{};
  cell.graph.emplace().pieces = pieces;
  cell.graph->contents.nodes = 20;
  cell.graph->captured_ops = 20;
  cell.graph->eager_ops = eager_ops;
  return cell;
}

TEST(SubmitFloor, AddsUpGraphLaunchesAndEagerOps) {
  EXPECT_DOUBLE_EQ(*submit_floor(floors(), cell(9, 8)), 9e-6 + 16e-6);
  EXPECT_DOUBLE_EQ(*submit_floor(floors(), cell(1, 0)), 1e-6);
  EXPECT_DOUBLE_EQ(*submit_floor(floors(), cell(0, 30)), 60e-6);
}

TEST(SubmitFloor, OfAForeignStepTakesItsLaunchesFromRecords) {
  CellResult foreign = cell(0, 1);
  foreign.cell.preset = "own";
  foreign.graph->contents.nodes = 0;
  EXPECT_FALSE(submit_floor(floors(), foreign).has_value()) << "one part, of an unknown number of launches";
  foreign.records.emplace().operations = 30;
  EXPECT_DOUBLE_EQ(*submit_floor(floors(), foreign), 60e-6);
  foreign.graph->pieces = 2;
  foreign.graph->contents.nodes = 20;
  EXPECT_DOUBLE_EQ(*submit_floor(floors(), foreign), 2e-6 + 20e-6);
  foreign.records.reset();
  foreign.graph->eager_ops = 0;
  EXPECT_DOUBLE_EQ(*submit_floor(floors(), foreign), 2e-6);
}

TEST(SubmitFloor, OnlyTheFirstLaunchOfAStepFindsAnIdleStream) {
  Floors busy = floors();
  busy.queued_kernel_launch = Floor{.p50 = 0.5e-6, .count = 10};
  busy.queued_graph_launch = Floor{.p50 = 0.25e-6, .count = 10};
  EXPECT_DOUBLE_EQ(*submit_floor(busy, cell(1, 0)), 1e-6);
  EXPECT_DOUBLE_EQ(*submit_floor(busy, cell(9, 8)), 1e-6 + 8 * 0.25e-6 + 8 * 0.5e-6);
  EXPECT_DOUBLE_EQ(*submit_floor(busy, cell(0, 30)), 2e-6 + 29 * 0.5e-6);
}

TEST(SubmitFloor, ABusyStreamThatIsDearerIsNoFloor) {
  Floors busy = floors();
  busy.queued_kernel_launch = Floor{.p50 = 9e-6, .count = 10};
  busy.queued_graph_launch = Floor{.p50 = 9e-6, .count = 10};
  EXPECT_DOUBLE_EQ(*submit_floor(busy, cell(9, 8)), 9e-6 + 16e-6);
}

TEST(SubmitFloor, IsAbsentWithoutCountsOrFloors) {
  EXPECT_FALSE(submit_floor(floors(), CellResult{}).has_value());
  EXPECT_FALSE(submit_floor(Floors{}, cell(1, 0)).has_value());
  EXPECT_FALSE(submit_floor(floors(), cell(0, 0)).has_value());
}

TEST(SubmitFloor, DividesTheSummary) {
  std::vector<CellResult> cells = {cell(2, 0), cell(2, 0)};
  cells[0].summary.submit_seconds.emplace().p50 = 5e-6;
  add_submit_over_floor(floors(), cells);
  EXPECT_DOUBLE_EQ(*cells[0].summary.submit_over_floor, 2.5);
  EXPECT_FALSE(cells[1].summary.submit_over_floor.has_value());
}

}  // namespace
}  // namespace graphbench::model
