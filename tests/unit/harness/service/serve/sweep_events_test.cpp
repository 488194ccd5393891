// Events survive their journey; what is left behind on purpose is left behind.
#include "harness/service/serve/sweep_events.hpp"

#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "harness/model/codec/documents.hpp"

namespace graphbench::serve {
namespace {

TEST(SweepEvents, WhatWasAskedAndWhatIsRunArriveApart) {
  const ServedSweep served = decode_served_sweep(
      encode_served_sweep({{"--plugin=mine.so", "--seed=\"1\""}, {"--plugin=/opt/mine.so", "--quiet"}}));
  EXPECT_EQ(served.asked, (std::vector<std::string>{"--plugin=mine.so", "--seed=\"1\""}));
  EXPECT_EQ(served.run, (std::vector<std::string>{"--plugin=/opt/mine.so", "--quiet"}));
  EXPECT_THROW(decode_served_sweep("--sweep --quiet"), Error);
}

TEST(SweepEvents, ADeviceArrives) {
  model::DeviceFacts facts{};
  facts.name = "Some \"GPU\"";
  const auto event =
      std::get<SweepBegan>(decode_sweep_event(encode_sweep_event(SweepBegan{"cuda:0", facts, {2, 5}})));
  EXPECT_EQ(event.device, "cuda:0");
  EXPECT_EQ(event.facts.name, facts.name);
  EXPECT_EQ(event.submitter, (std::vector<std::int64_t>{2, 5}));
}

TEST(SweepEvents, ProgressArrives) {
  model::Progress progress;
  progress.cells_done = 3;
  progress.cells_total = 4;
  progress.worker = "mlp";
  const auto event = std::get<SweepProgress>(decode_sweep_event(encode_sweep_event(SweepProgress{progress})));
  EXPECT_EQ(event.progress.cells_done, 3);
  EXPECT_EQ(event.progress.worker, "mlp");
  EXPECT_FALSE(event.progress.eta_seconds);
}

TEST(SweepEvents, CellsArriveWithTheirFirstStepsAndTheirDocument) {
  model::CellResult cell{};
  cell.cell.workload = "mlp";
  cell.status = model::CellStatus::failed;
  cell.reason = model::Reason{"io", "line\nbreak"};
  cell.launches.emplace_back().latency_samples.assign(40, 0.5);
  cell.launches.front().submit_samples = {1, 2};
  cell.summary.steady_after = 3;
  cell.launches.front().machine.emplace().cpu = 7;
  cell.profile.emplace().kernels = 5;
  const std::string line = encode_sweep_event(SweepCells{{cell}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto event = std::get<SweepCells>(decode_sweep_event(line));
  ASSERT_EQ(event.cells.size(), 1u);
  EXPECT_EQ(event.cells[0].cell, cell.cell);
  EXPECT_EQ(event.cells[0].reason->message, "line\nbreak");
  EXPECT_EQ(event.cells[0].launches.at(0).latency_samples.size(), 32u);
  EXPECT_TRUE(event.cells[0].launches.at(0).submit_samples.empty());
  EXPECT_EQ(event.cells[0].summary.steady_after, 3);
  EXPECT_EQ(event.cells[0].launches.at(0).machine->cpu, 7);
  EXPECT_EQ(event.cells[0].profile->kernels, 5);
  EXPECT_EQ(codec::to_json(event.cells[0]), codec::to_json(cell)) << "it can stand in a document";
}

// A service's store outlives the binary that wrote it: a sweep begun with an earlier one can be resumed.
TEST(SweepEvents, CellsOfAnEarlierGraphbenchLackWhatCameLater) {
  model::CellResult cell{};
  cell.launches.emplace_back().machine.emplace().cpu = 7;
  std::string line = encode_sweep_event(SweepCells{{cell}});
  for (const std::string later : {R"("cpu_slowdown":null,)", R"("device_slowdown":null,)"}) {
    const std::size_t place = line.find(later);
    ASSERT_NE(place, std::string::npos) << later;
    line.erase(place, later.size());
  }
  const auto event = std::get<SweepCells>(decode_sweep_event(line));
  EXPECT_EQ(event.cells.at(0).launches.at(0).machine->cpu, 7);
  EXPECT_FALSE(event.cells.at(0).launches.at(0).machine->cpu_slowdown);
}

TEST(SweepEvents, AnythingElseIsAnError) {
  for (const char* line : {"", "{}", "[]", "{\"progress\": 1}", "{\"cells\": [1]}", "{\"device\": \"a\"}",
                           R"({"cells": ["{\"event\": \"done\"}"]})"}) {
    EXPECT_THROW(decode_sweep_event(line), Error) << line;
  }
}

}  // namespace
}  // namespace graphbench::serve
