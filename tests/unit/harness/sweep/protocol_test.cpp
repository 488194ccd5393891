// Tasks and events survive the pipe; what is no event is refused. Of harness/measure/worker/protocol.
#include "harness/measure/worker/protocol.hpp"

#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::worker {
namespace {

TEST(Protocol, ATaskSurvives) {
  model::WorkerTask task = test::sample_task("whole", {4, 1}, 2);
  task.warmup = 3;
  task.seed = UINT64_MAX;
  task.sampling = {0.1, 7};
  task.plugins = {"/a b.so"};
  task.options = {{"hidden", 9}};
  task.split_ops = {"sdpa"};
  const model::WorkerTask copy = decode_task(encode_task(task));
  EXPECT_EQ(encode_task(copy), encode_task(task));
  EXPECT_EQ(copy.seed, UINT64_MAX);
  EXPECT_EQ(copy.batches, task.batches);
  EXPECT_EQ(copy.options, task.options);
  EXPECT_EQ(copy.sampling.seconds_max, 0.1);
}

TEST(Protocol, ACellSurvivesWithAllItsNumbers) {
  model::CellResult result = test::ok_cell(test::sample_task("whole", {4}), 4);
  result.check =
      model::Check{.reference = "eager", .identical = false, .max_abs_error = 1.0 / 3, .tolerated = {}};
  facts::GraphCounts& graph = result.graph.emplace();
  graph.pieces = 1;
  graph.contents.nodes = 2;
  graph.captured_ops = 3;
  graph.eager_ops = 4;
  graph.rewritten_nodes = 5;
  result.launches[0].submit_samples = {1e-9 / 3, 2e-6};
  result.launches[0].submit_seconds = model::Summary{.count = 2,
                                                     .min = 1e-9,
                                                     .p50 = 2e-9,
                                                     .p90 = {},
                                                     .p99 = {},
                                                     .p999 = 4e-9,
                                                     .p50_ci95_low = 1e-9,
                                                     .p50_ci95_high = 3e-9,
                                                     .max = 3e-9,
                                                     .mean = 2e-9,
                                                     .stddev = 1e-10};
  result.launches[0].latency_stopped_by = "precision";
  result.launches[0].latency_started_ns = {123456789012345678};
  result.launches[0].setup.prepare_seconds = 0.25;
  const std::string line = encode_event({.cell = result});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const WorkerEvent event = decode_event(line);
  const auto& copy = event.cell.value();
  EXPECT_EQ(copy.cell, result.cell);
  EXPECT_EQ(copy.status, model::CellStatus::ok);
  EXPECT_EQ(copy.check->max_abs_error, 1.0 / 3);
  EXPECT_EQ(copy.graph->eager_ops, 4);
  EXPECT_EQ(copy.launches[0].submit_samples, result.launches[0].submit_samples);
  EXPECT_EQ(copy.launches[0].submit_seconds->p90, std::nullopt);
  EXPECT_EQ(copy.launches[0].submit_seconds->stddev, 1e-10);
  EXPECT_EQ(copy.launches[0].submit_seconds->p999, 4e-9);
  EXPECT_EQ(copy.launches[0].submit_seconds->p50_ci95_high, 3e-9);
  EXPECT_EQ(copy.launches[0].latency_stopped_by, "precision");
  EXPECT_EQ(copy.launches[0].latency_started_ns, std::vector<std::int64_t>{123456789012345678});
  EXPECT_EQ(copy.launches[0].setup.prepare_seconds, 0.25);
  EXPECT_EQ(copy.launches[0].latency_seconds, std::nullopt);
  EXPECT_EQ(copy.reason, std::nullopt);
}

TEST(Protocol, OtherEventsSurvive) {
  const WorkerEvent phase = decode_event(encode_event({.batch = 64, .phase = "capture"}));
  EXPECT_EQ(phase.batch, 64);
  EXPECT_EQ(phase.phase, "capture");
  EXPECT_FALSE(phase.stopped || phase.cell || phase.memory || phase.error) << "what was not said";
  EXPECT_TRUE(decode_event(encode_event({.batch = 2, .stopped = true})).stopped);
  model::Memory sent{};
  sent.pool_bytes_own = 4;
  const WorkerEvent memory = decode_event(encode_event({.batch = 2, .memory = sent}));
  EXPECT_EQ(memory.memory->pool_bytes_own, 4);
  const WorkerEvent trace = decode_event(
      encode_event({.trace = model::TraceProcess{.name = "cell", .spans = {{"host", "step", 1, 2}}}}));
  EXPECT_EQ(trace.trace->name, "cell");
  EXPECT_EQ(trace.trace->spans.at(0).seconds, 2);
  const WorkerEvent error = decode_event(encode_event({.error = model::Reason{"io", "a\nb\"c"}}));
  EXPECT_EQ(error.error->message, "a\nb\"c");
  const std::vector<model::LibraryChoice> choices = {{"op", "one", true, false, ""},
                                                     {"op 2", "two", false, true, "engine"}};
  EXPECT_EQ(decode_event(encode_event({.choices = choices})).choices, choices);
  model::DeviceFacts facts{};
  facts.libraries["cudnn"] = "9";
  EXPECT_EQ(decode_event(encode_event({.device = facts})).device->libraries, facts.libraries);
}

TEST(Protocol, BytesThatAreNotUtf8AreReplaced) {
  const WorkerEvent event = decode_event(encode_event({.error = model::Reason{"io", "bad \xff byte"}}));
  EXPECT_EQ(event.error->message, "bad \xEF\xBF\xBD byte");
}

TEST(Protocol, WhatIsNoEventIsRefused) {
  for (const char* line : {"", "hello", "{}", "[]", "{\"dance\":1}", "{\"phase\":7}", "{\"batch\":\"2\"}",
                           "{\"cell\":[]}", "{\"choices\":{}}"}) {
    EXPECT_THROW(decode_event(line), Error) << line;
  }
  EXPECT_THROW(decode_task("{}"), Error);
  EXPECT_THROW(decode_task(""), Error);
}

}  // namespace
}  // namespace graphbench::worker
