// Tests that tasks, events and the probe's questions and answers are the same after the pipe, that all else
// is refused, and what a probe's crash or failure becomes. Shell scripts play the probe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/worker/worker_fields.hpp"
#include "harness/sweep/probe.hpp"
#include "harness/sweep/probe_fields.hpp"
#include "tests/support/sample_plan.hpp"
#include "tests/support/scripts.hpp"

namespace graphbench::sweep {
namespace {

measure::WorkerEvent after_the_pipe(const measure::WorkerEvent& event) {
  return model::read_data<measure::WorkerEvent>(model::write_data(event), "read");
}

TEST(Protocol, ATaskSurvives) {
  model::WorkerTask task = test::sample_task("whole", {4, 1}, 2);
  task.warmup = 3;
  task.settings.seed = INT64_MAX;
  task.settings.sampling = {0.1, 7};
  task.settings.plugins = {"/a b.so"};
  task.options = {{"hidden", 9}};
  task.settings.split_ops = {"sdpa"};
  const model::WorkerTask copy = model::read_data<model::WorkerTask>(model::write_data(task), "read");
  EXPECT_EQ(model::write_data(copy), model::write_data(task));
  EXPECT_EQ(copy.settings.seed, INT64_MAX);
  EXPECT_EQ(copy.batches, task.batches);
  EXPECT_EQ(copy.options, task.options);
  EXPECT_EQ(copy.settings.sampling.seconds_max, 0.1);
}

TEST(Protocol, ACellSurvivesWithAllItsNumbers) {
  model::CellResult result = test::ok_cell(test::sample_task("whole", {4}), 4);
  result.check = model::Check{.reference = "eager",
                              .identical = false,
                              .max_abs_error = 1.0 / 3,
                              .tolerated = {},
                              .state = {},
                              .inputs = {},
                              .remarks = {}};
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
  const std::string line = model::write_data(measure::WorkerEvent{.cell = result});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto event = model::read_data<measure::WorkerEvent>(line, "read");
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
  const measure::WorkerEvent phase = after_the_pipe({.batch = 64, .phase = "capture"});
  EXPECT_EQ(phase.batch, 64);
  EXPECT_EQ(phase.phase, "capture");
  EXPECT_FALSE(phase.stopped || phase.cell || phase.memory || phase.error) << "what was not said";
  EXPECT_TRUE(after_the_pipe({.batch = 2, .stopped = true}).stopped);
  model::Memory sent{};
  sent.pool_bytes_own = 4;
  const measure::WorkerEvent memory = after_the_pipe({.batch = 2, .memory = sent});
  EXPECT_EQ(memory.memory->pool_bytes_own, 4);
  const measure::WorkerEvent trace =
      after_the_pipe({.trace = model::TraceProcess{.name = "cell", .spans = {{"host", "step", 1, 2}}}});
  EXPECT_EQ(trace.trace->name, "cell");
  EXPECT_EQ(trace.trace->spans.at(0).seconds, 2);
  const measure::WorkerEvent error = after_the_pipe({.error = model::Reason{"io", "a\nb\"c"}});
  EXPECT_EQ(error.error->message, "a\nb\"c");
  const std::vector<model::LibraryChoice> choices = {{"op", "one", true, false, ""},
                                                     {"op 2", "two", false, true, "engine"}};
  EXPECT_EQ(after_the_pipe({.choices = choices}).choices, choices);
  model::DeviceFacts facts{};
  facts.libraries["cudnn"] = "9";
  EXPECT_EQ(after_the_pipe({.device = facts}).device->libraries, facts.libraries);
}

TEST(Protocol, BytesThatAreNotUtf8AreReplaced) {
  const measure::WorkerEvent event = after_the_pipe({.error = model::Reason{"io", "bad \xff byte"}});
  EXPECT_EQ(event.error->message, "bad \xEF\xBF\xBD byte");
}

TEST(Protocol, WhatIsNoEventIsRefused) {
  for (const char* line : {"", "hello", "{}", "[]", "{\"dance\":1}", "{\"phase\":7}", "{\"batch\":\"2\"}",
                           "{\"cell\":[]}", "{\"choices\":{}}"}) {
    EXPECT_THROW(model::read_data<measure::WorkerEvent>(line, "read"), Error) << line;
  }
  EXPECT_THROW(model::read_data<model::WorkerTask>("{}", "read"), Error);
  EXPECT_THROW(model::read_data<model::WorkerTask>("", "read"), Error);
}

using namespace test;

TEST(ProbeProtocol, ARequestSurvives) {
  ProbeRequest request;
  request.list_devices = true;
  request.device = "cuda:1";
  request.plugins = {"/p.so"};
  request.programs = {sample_task("whole", {4})};
  request.programs[0].settings.split_ops = {"sdpa"};
  request.dump = true;
  const ProbeRequest copy = model::read_data<ProbeRequest>(model::write_data(request), "read");
  EXPECT_EQ(model::write_data(copy), model::write_data(request));
  EXPECT_TRUE(copy.dump);
  EXPECT_EQ(copy.programs.at(0).batches, std::vector<std::int64_t>{4});
  EXPECT_EQ(copy.programs.at(0).settings.split_ops, std::vector<std::string>{"sdpa"});
}

TEST(ProbeProtocol, AnAnswerSurvives) {
  ProbeAnswer answer;
  answer.devices = {{"host", true, "a CPU", ""}};
  answer.catalog.device = "host";
  answer.catalog.dtypes = {"fp32"};
  answer.catalog.workloads = {
      {"mlp", "help", "builtin", {{"hidden", "width", 1, 9}}, {{"tiny", {{"hidden", 3}}}}}};
  answer.dumps = {"program\n"};
  const ProbeEvent event = model::read_message<ProbeEvent>(model::write_message(ProbeEvent(answer)), "read");
  const auto& copy = std::get<ProbeAnswer>(event);
  EXPECT_TRUE(copy.devices.at(0).available);
  EXPECT_EQ(copy.catalog.workloads.at(0).options.at(0).max, 9);
  EXPECT_EQ(copy.catalog.workloads.at(0).presets.at(0).values.at("hidden"), 3);
  EXPECT_EQ(copy.dumps, answer.dumps);
}

TEST(ProbeProtocol, WhatIsNoEventIsRefused) {
  for (const char* line :
       {"", "{}", "{\"event\":\"dance\",\"content\":{}}", "{\"event\":\"answer\",\"content\":{}}"}) {
    EXPECT_THROW(model::read_message<ProbeEvent>(line, "read"), Error) << line;
  }
  EXPECT_THROW(model::read_data<ProbeRequest>("[]", "read"), Error);
}

using namespace test;
using testing::HasSubstr;

std::string says(const ProbeEvent& event) {
  return sends_line(model::write_message(event));
}

const ProbeStage plugin_stage{ProbeStage::What::plugin, "/p.so"};

ProbeAnswer ask(const std::string& script, double silent_seconds_max = 60) {
  process::ProcessSupervisor supervisor;
  return ask_probe(supervisor, {shell(script), silent_seconds_max}, {}, {});
}

template <typename Expected>
std::string refusal(const std::string& script, double silent_seconds_max = 60) {
  try {
    ask(script, silent_seconds_max);
  } catch (const Expected& error) {
    return error.what();
  }
  return "answered";
}

TEST(Probe, AnAnswerIsReturned) {
  ProbeAnswer answer;
  answer.catalog.device = "host";
  EXPECT_EQ(ask(says(answer)).catalog.device, "host");
}

TEST(Probe, APluginThatCrashesIsNamedWithTheSignalAndItsLastWords) {
  EXPECT_EQ(refusal<InputError>(says(plugin_stage) + "echo oh dear; kill -SEGV $$"),
            "--plugin: \"/p.so\" crashed with SIGSEGV while the file was loaded; its output: oh dear");
}

TEST(Probe, APluginThatHangsIsNamedWithTheTimeItHad) {
  EXPECT_THAT(refusal<InputError>(says(plugin_stage) + "sleep 60", 0.3),
              HasSubstr("\"/p.so\" was silent for more than 0.3 s while the file was loaded and was killed"));
}

TEST(Probe, APluginThatEndsTheProcessIsNamedWithItsExitCode) {
  EXPECT_THAT(refusal<InputError>(says(plugin_stage) + "exit 0"),
              HasSubstr("ended with exit code 0 while the file was loaded"));
}

TEST(Probe, AWorkloadThatCrashesWhileItBuildsIsNamed) {
  EXPECT_THAT(refusal<InputError>(says(ProbeStage{ProbeStage::What::program, "mine"}) + "kill -ABRT $$"),
              HasSubstr("--workload: workload \"mine\" crashed with SIGABRT"));
}

TEST(Probe, ADriverThatCrashesIsTheMachinesFault) {
  EXPECT_THAT(refusal<Error>(says(ProbeStage{ProbeStage::What::device, "cuda"}) + "kill -BUS $$"),
              HasSubstr("the driver crashed with SIGBUS"));
}

TEST(Probe, AFailureIsThePersonsOrTheMachines) {
  EXPECT_EQ(refusal<InputError>(says(ProbeFailure{plugin_stage, true, false, "no good"})),
            "--plugin: no good");
  EXPECT_EQ(refusal<Error>(says(ProbeFailure{{ProbeStage::What::device, "cuda"}, false, false, "no driver"})),
            "no driver");
  EXPECT_THAT(
      refusal<InputError>(says(ProbeFailure{{ProbeStage::What::program, "mlp"}, true, true, "no op"})),
      HasSubstr("--split-ops: workload \"mlp\": no op"));
}

}  // namespace
}  // namespace graphbench::sweep
