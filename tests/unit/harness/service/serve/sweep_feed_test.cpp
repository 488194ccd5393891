// Tests what a follower gets, whenever it starts to follow; that events are the same after encoding and
// decoding; and which fields events leave out on purpose.
#include "harness/service/serve/sweep_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/service/serve/sweep_events.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::service {
namespace {

using testing::HasSubstr;
using testing::Not;

class SweepFeedTest : public testing::Test {
 protected:
  SweepFeedTest() : id_(store_.add({}, "", 10).sweep.id) {}

  void finish_cell(const std::string& cell, const std::string& document) {
    feed_.tell_cells(id_, store_.add_cells(id_, {{cell, document}}));
  }

  void end() {
    store_.end(id_, {SweepState::done, 0, "", std::nullopt});
    feed_.tell_done(id_);
  }

  static std::string taken(BodyStream& stream) {
    std::string text;
    for (auto each = stream.take(); each.bytes; each = stream.take()) text += *each.bytes;
    return text;
  }

  static std::string taken(const SweepFeed::Following& following) {
    return *following.past + taken(*following.stream);
  }

  SweepFeed::Following follow(std::int64_t after = 0) { return feed_.follow(id_, after).value(); }

  test::TemporaryFolder folder_;
  SweepStore store_{folder_.file("sweeps.sqlite")};
  static constexpr std::size_t followers_max = 20;
  SweepFeed feed_{store_, followers_max};
  std::string id_;
};

TEST_F(SweepFeedTest, ToldInOrderUntilTheEndAndWholeAfterIt) {
  const auto following = follow();
  feed_.tell_progress(id_, "{\"a\": 1}");
  finish_cell("one", "{\"b\": 2}");
  EXPECT_EQ(taken(following),
            ": graphbench\n\nevent: progress\ndata: {\"a\": 1}\n\n"
            "id: 1\nevent: cell\ndata: {\"b\": 2}\n\n");
  EXPECT_EQ(feed_.followers(), 1u);
  end();
  const std::string rest = taken(*following.stream);
  EXPECT_THAT(rest, HasSubstr("event: done\ndata: {"));
  EXPECT_THAT(rest, HasSubstr("\"state\":\"done\""));
  EXPECT_EQ(following.stream->take().what, BodyStream::Taken::What::over);
  EXPECT_EQ(feed_.followers(), 0u);
  const auto late = follow();
  EXPECT_THAT(taken(late), testing::AllOf(HasSubstr("event: cell"), HasSubstr("event: done")));
  EXPECT_EQ(late.stream->take().what, BodyStream::Taken::What::over);
}

TEST_F(SweepFeedTest, WhoComesLateIsToldWhatHappenedAndNothingTwice) {
  finish_cell("one", "{\"n\": 1}");
  feed_.tell_progress(id_, "{\"a\": 1}");
  const std::vector<StoredCell> cells = store_.add_cells(id_, {{"two", "{\"n\": 2}"}});
  const auto following = follow();  // after the cells are stored, before they are told
  feed_.tell_cells(id_, cells);
  const std::string text = taken(following);
  EXPECT_THAT(text, HasSubstr("{\"n\": 1}"));
  EXPECT_EQ(text.find("{\"n\": 2}"), text.rfind("{\"n\": 2}"));
  EXPECT_THAT(text, HasSubstr("event: progress"));
}

TEST_F(SweepFeedTest, AnEventsIdGoesOnWhereTheClientWas) {
  finish_cell("one", "{\"n\": 1}");
  finish_cell("two", "{\"n\": 2}");
  finish_cell("one", "{\"n\": 3}");
  finish_cell("two", "{\"n\": 2}");  // unchanged, so this is no event
  const std::string text = taken(follow(2));
  EXPECT_THAT(text, Not(HasSubstr("{\"n\": 2}")));
  EXPECT_THAT(text, HasSubstr("id: 3\nevent: cell\ndata: {\"n\": 3}"));
}

// The store has no row, so cells that an older graphbench has stored have one too.
TEST_F(SweepFeedTest, ACellHasItsNumbersAsPagesShowThem) {
  model::CellResult cell{};
  cell.cell.workload = "mlp";
  cell.cell.mode = "whole";
  cell.status = model::CellStatus::ok;
  cell.launches.emplace_back();
  model::Estimate& submit = cell.summary.submit_seconds.emplace();
  submit.p50 = 1.5e-6;
  submit.ci95_low = 1.2e-6;
  submit.ci95_high = 1.8e-6;
  const std::string document = model::to_json(cell);
  finish_cell("one", document);
  const std::string told = taken(follow());
  EXPECT_THAT(told, HasSubstr("data: " + document.substr(0, document.size() - 1) + ", \"row\": {"));
  EXPECT_THAT(told, HasSubstr(R"("launches[].submit_seconds":{"text":"1.50us","value":1.5e-06,"low":1.2e-06,)"
                              R"("high":1.8e-06,"range":"±20 %"})"));
  cell.status = model::CellStatus::failed;
  cell.reason = model::Reason{"io", ""};
  finish_cell("one", model::to_json(cell));
  EXPECT_THAT(taken(follow()), Not(HasSubstr("row")));
}

TEST_F(SweepFeedTest, ADamagedCellIsNamed) {
  store_.add_cells(id_, {{"one", R"({"id": "one", "status": 7})"}});
  EXPECT_THAT(
      test::failure([&] { return follow(); }),
      testing::StartsWith("the stored document of sweep " + id_ + " cannot be used: cell one: status"));
}

TEST_F(SweepFeedTest, WhoLagsIsDroppedAndTheOthersAreNot) {
  const auto slow = follow().stream;
  const auto quick = follow().stream;
  const std::string document = "{\"x\": \"" + std::string(1024 * 1024, 'x') + "\"}";
  for (int i = 0; i < 8; ++i) {
    feed_.tell_progress(id_, document);
    taken(*quick);
  }
  EXPECT_EQ(slow->take().what, BodyStream::Taken::What::cut_off);
  EXPECT_EQ(feed_.followers(), 1u);
}

TEST_F(SweepFeedTest, ThoseWhoComeTogetherShareThePast) {
  finish_cell("one", "{\"n\": 1}");
  const auto first = follow();
  EXPECT_EQ(follow().past, first.past);
  EXPECT_NE(follow(1).past, first.past);
  finish_cell("two", "{\"n\": 2}");
  const auto later = follow();
  EXPECT_NE(later.past, first.past);
  EXPECT_THAT(taken(first), HasSubstr("{\"n\": 2}")) << "as it happened";
  EXPECT_THAT(*later.past, HasSubstr("{\"n\": 2}"));
}

TEST_F(SweepFeedTest, NoMoreThanMayFollow) {
  std::vector<std::shared_ptr<BodyStream>> streams;
  for (std::size_t i = 0; i < followers_max; ++i) streams.push_back(follow().stream);
  EXPECT_FALSE(feed_.follow(id_, 0));
  streams.front()->detach();
  EXPECT_TRUE(feed_.follow(id_, 0));
}

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
  const auto event = std::get<SweepBegan>(
      decode_sweep_event(encode_sweep_event(SweepBegan{"cuda:0", facts, {2, 5}, "hash"})));
  EXPECT_EQ(event.device, "cuda:0");
  EXPECT_EQ(event.facts.name, facts.name);
  EXPECT_EQ(event.submitter, (std::vector<std::int64_t>{2, 5}));
  EXPECT_EQ(event.plan, "hash");
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
  EXPECT_EQ(model::to_json(event.cells[0]), model::to_json(cell)) << "it can stand in a document";
}

// A store may be older than the binary: a sweep that an earlier version began can be resumed.
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
}  // namespace graphbench::service
