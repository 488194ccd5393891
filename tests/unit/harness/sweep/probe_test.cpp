// What a probe's death, failure and answer become. Shell scripts play the probe.
#include "harness/sweep/probe.hpp"

#include <gmock/gmock.h>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "tests/support/scripts.hpp"

namespace graphbench::sweep {
namespace {

using namespace test;
using testing::HasSubstr;

std::string says(const ProbeEvent& event) {
  return sends_line(encode_probe_event(event));
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
            "--plugin: \"/p.so\" crashed with SIGSEGV while it was loaded; it said: oh dear");
}

TEST(Probe, APluginThatHangsIsNamedWithTheTimeItHad) {
  EXPECT_THAT(refusal<InputError>(says(plugin_stage) + "sleep 60", 0.3),
              HasSubstr("\"/p.so\" was silent for more than 0.3 s while it was loaded; killed"));
}

TEST(Probe, APluginThatEndsTheProcessIsNamedWithItsExitCode) {
  EXPECT_THAT(refusal<InputError>(says(plugin_stage) + "exit 0"),
              HasSubstr("ended with exit code 0 while it was loaded"));
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
