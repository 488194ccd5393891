// Tests which bodies become which arguments of a sweep, and the messages about others. Tests its process,
// played by shell scripts: what it says, how it ends or is stopped; and which service may measure.
#include "harness/service/serve/sweep_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "graphs/base/error.hpp"
#include "harness/service/serve/machine_turn.hpp"
#include "harness/service/serve/sweep_process.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> arguments_of(const std::string& body, BodyFormat format,
                                      const std::vector<std::string>& plugins = {}) {
  return parse_sweep_request(body, format, plugins).asked.named();
}

std::string refusal(const std::string& body, BodyFormat format = BodyFormat::json) {
  return test::refusal([&] { arguments_of(body, format); });
}

TEST(SweepRequest, JsonAndTomlMeanTheSame) {
  const auto wanted = ElementsAre("--batch=1,8:32:x2", "--cold-l2", "--set=mlp.hidden=64",
                                  "--time-per-cell=0.5", "--workload=mlp,conv");
  EXPECT_THAT(arguments_of(R"({"workload": ["mlp", "conv"], "batch": [1, "8:32:x2"], "cold-l2": true,
                                      "set": {"mlp.hidden": 64}, "time-per-cell": 0.5})",
                           BodyFormat::json),
              wanted);
  EXPECT_THAT(arguments_of("workload = [\"mlp\", \"conv\"]\nbatch = [1, \"8:32:x2\"]\ncold-l2 = true\n"
                           "time-per-cell = 0.5\n[set]\nmlp.hidden = 64\n",
                           BodyFormat::toml),
              wanted);
  EXPECT_THAT(arguments_of("{}", BodyFormat::json), ElementsAre());
  EXPECT_THAT(arguments_of(R"({"profile": false})", BodyFormat::json), ElementsAre());
}

TEST(SweepRequest, TakesHowGraphsMeetTheirCaller) {
  EXPECT_THAT(arguments_of(R"({"io": ["copy_if_moved", "copy_out"], "io_same": "0.5", "check_addresses": true,
                               "tune_sizes": [1, 8], "edges": "full"})",
                           BodyFormat::json),
              ElementsAre("--check-addresses", "--edges=full", "--io=copy_if_moved,copy_out", "--io-same=0.5",
                          "--tune-sizes=1,8"));
  EXPECT_THAT(refusal(R"({"io": "copy_if_moved", "io-same": "0.8"})"),
              HasSubstr("give 0, 0.5, 0.9, 0.99, 1"));
  EXPECT_THAT(refusal(R"({"warmup-by": "requests"})"), HasSubstr("\"warmup-by\" is not a key of a sweep"));
}

TEST(SweepRequest, JsonKeysMayHaveUnderscores) {
  EXPECT_THAT(arguments_of(R"({"time_per_cell": 0.5, "cold_l2": true, "set": {"mlp": {"hidden": 64}}})",
                           BodyFormat::json),
              ElementsAre("--cold-l2", "--set=mlp.hidden=64", "--time-per-cell=0.5"));
  EXPECT_EQ(refusal(R"({"time_per_cell": 1, "time-per-cell": 2})"),
            "time-per-cell: the key is given twice: give it once");
  EXPECT_THAT(refusal(R"({"prometheus_push": "x"})"),
              HasSubstr("prometheus-push: a request may not give this option"));
  EXPECT_THAT(refusal(R"({"traffic": "steps.csv"})"), HasSubstr("\"traffic\" is not a key of a sweep"));
  EXPECT_THAT(refusal(R"({"time_per_sell": 1})"), HasSubstr("\"time_per_sell\" is not a key of a sweep"));
  EXPECT_THAT(refusal("time_per_cell = 1\n", BodyFormat::toml), HasSubstr("is not a key of a sweep"));
}

TEST(SweepRequest, NumbersStayAsShortAsTheyWereWritten) {
  for (const std::string number : {"0.05", "0.1", "1e-05", "2.5"}) {
    const std::string body = "{\"time-per-cell\": " + number + "}";
    EXPECT_THAT(arguments_of(body, BodyFormat::json), ElementsAre("--time-per-cell=" + number));
  }
}

TEST(SweepRequest, WhatNamesFilesOrAddressesIsRefused) {
  for (const char* key : {"json", "samples", "report", "trace", "dump-graph", "cache", "package", "weights",
                          "plugin", "prometheus-listen", "prometheus-textfile", "prometheus-push",
                          "push-grouping", "torch", "python", "ranks"}) {
    EXPECT_THAT(refusal(std::string("{\"") + key + "\": \"x\"}"),
                HasSubstr("a request may not give this option"))
        << key;
  }
  for (const char* key : {"dry-run", "dump-program", "quiet"})
    EXPECT_THAT(refusal(std::string("{\"") + key + "\": true}"),
                HasSubstr("a request may not give this option"))
        << key;
  EXPECT_THAT(refusal("{\"config\": \"x\"}"), HasSubstr("is not a key of a sweep"));
  EXPECT_THAT(refusal("plugin = \"x\"\n", BodyFormat::toml),
              HasSubstr("request:1: plugin: a request may not give this option"));
}

TEST(SweepRequest, PluginsAreNamedBarely) {
  const std::vector<std::string> known = {"mine", "swiglu"};
  EXPECT_THAT(arguments_of(R"({"plugins": ["swiglu", "mine"], "batch": 1})", BodyFormat::json, known),
              ElementsAre("--plugin=swiglu", "--plugin=mine", "--batch=1"));
  EXPECT_THAT(arguments_of("plugins = \"mine\"", BodyFormat::toml, known), ElementsAre("--plugin=mine"));
  EXPECT_THAT(arguments_of(R"({"plugins": []})", BodyFormat::json, {}), ElementsAre());
  for (const char* name :
       {"other", "", "mine.so", "./mine", "../mine", "/tmp/mine.so", "mine,swiglu", "MINE"}) {
    const std::string refused = test::refusal([&] {
      parse_sweep_request(std::string(R"({"plugins": [")") + name + "\"]}", BodyFormat::json, known);
    });
    EXPECT_THAT(refused, HasSubstr("is not a plugin of this service: give one of")) << name;
  }
  EXPECT_THROW(parse_sweep_request(R"({"plugins": ["mine", "mine"]})", BodyFormat::json, known), InputError);
  EXPECT_THROW(parse_sweep_request(R"({"plugins": [1]})", BodyFormat::json, known), InputError);
  EXPECT_THAT(refusal(R"({"plugins": ["mine"]})"),
              HasSubstr("plugins: this service has no plugins: start the service with"));
}

class StepRequest : public testing::Test {
 protected:
  StepRequest() {
    std::ofstream(folder_.file("llama.py")) << "def build(batch, device): pass";
    steps_ = {{"llama", folder_.file("llama.py")}, {"bert", folder_.file("bert.py")}};
  }
  SweepRequest parsed(const std::string& body) const {
    return parse_sweep_request(body, BodyFormat::json, {"mine"}, steps_);
  }
  std::string refusal(const std::string& workload, const std::string& more = "") const {
    return test::refusal([&] { parsed("{\"workload\": " + workload + more + "}"); });
  }

  test::TemporaryFolder folder_;
  std::map<std::string, std::string> steps_;
};

TEST_F(StepRequest, AStepIsAWorkloadByFileAndFunction) {
  const SweepRequest request = parsed(R"({"workload": ["llama:build"], "batch": 1})");
  EXPECT_EQ(request.options.torch.file, std::filesystem::canonical(folder_.file("llama.py")));
  EXPECT_EQ(request.options.torch.function, "build");
  EXPECT_THAT(request.asked.named(), ElementsAre("--batch=1", "--workload=llama:build"));
  const auto file_of = [](CodeKind kind, const std::string& name) {
    return (kind == CodeKind::step ? "steps/" : "plugins/") + name;
  };
  EXPECT_THAT(request.asked.arguments(file_of), ElementsAre("--batch=1", "--torch=steps/llama:build"));
}

TEST_F(StepRequest, NamesOnlyFilesOfTheFolder) {
  for (const char* name :
       {"other:build", "../llama:build", "/etc/llama:build", "llama.py:build", "./llama:build", ":build",
        "example:llama", "llama/../llama:build", "LLAMA:build"}) {
    EXPECT_THAT(refusal("\"" + std::string(name) + "\""),
                HasSubstr("of this service's steps: give one of bert, llama, without a folder or .py"))
        << name;
  }
  for (const char* name : {"llama:", "llama:a b", "llama:a.b", "llama:a:b", "llama:1", "llama:--x"})
    EXPECT_THAT(refusal("\"" + std::string(name) + "\""),
                HasSubstr("does not name a function: give FILE:FUNCTION"))
        << name;
}

TEST_F(StepRequest, RunsAlone) {
  for (const char* workload :
       {R"(["llama:build", "mlp"])", R"("llama:build,mlp")", R"(["llama:build", "bert:build"])"})
    EXPECT_THAT(refusal(workload), HasSubstr("which a sweep runs alone")) << workload;
  EXPECT_THAT(refusal(R"("llama:build")", R"(, "plugins": ["mine"])"), HasSubstr("which a sweep runs alone"));
  EXPECT_THAT(refusal(R"("llama:build")", R"(, "torch": "llama.py:build")"),
              HasSubstr("a request may not give this option"));
  EXPECT_THAT(test::refusal([] { parse_sweep_request(R"({"workload": "llama:build"})", BodyFormat::json); }),
              HasSubstr("start the service with --torch-folder DIR, with NAME.py in DIR"));
}

TEST(SweepRequest, MistakesAreNamedByKeyAndOfTomlByLine) {
  EXPECT_EQ(refusal(R"({"batch": 0})"),
            "batch: \"0\" is not a batch: give positive whole numbers, e.g. 1,2,4 or 1:256:x2");
  EXPECT_THAT(refusal("mode = \"whole\"\nbatch = 0\n", BodyFormat::toml), HasSubstr("request:2: batch: "));
  EXPECT_THAT(refusal(R"({"bach": 1})"), HasSubstr("did you mean \"batch\"?"));
  EXPECT_THAT(refusal(R"({"batch": 1, "batch": 2})"), HasSubstr("batch: the key is given twice"));
  EXPECT_EQ(refusal(R"({"launches": null})"), "launches: null is not valid: give a whole number");
  EXPECT_EQ(refusal(R"({"batch": {"a": 1}})"),
            "batch: an object is not valid: give a whole number, a string such as \"1:256:x2\", or an array "
            "of them");
  EXPECT_EQ(refusal(R"({"set": {"mlp.hidden": "64"}})"),
            "set.mlp.hidden: a string is not valid: give a whole number");
  EXPECT_THAT(refusal(R"({"seed": 18446744073709551615})"),
              HasSubstr("seed: a number above 2^63 - 1 is not valid"));
}

TEST(SweepRequest, WhatIsFoundWrongLaterIsNamedInTheSameWay) {
  const auto json =
      parse_sweep_request(R"({"workload": "mlp", "set": {"mlp.hidden": 64}})", BodyFormat::json);
  EXPECT_EQ(json.options.where("workload"), "workload");
  EXPECT_EQ(json.options.set.front().where, "set");
  const auto toml = parse_sweep_request("batch = 1\nworkload = \"mlp\"\n", BodyFormat::toml);
  EXPECT_EQ(toml.options.where("workload"), "request:2: workload");
}

TEST(SweepRequest, BodiesThatAreNoDocumentsAreRefused) {
  for (const char* body : {"", "{", "[]", "1", "null", "\"a\"", "{\"a\": 1", "\xff\xfe", "{\"\xff\": 1}"})
    EXPECT_NE(refusal(body), "accepted") << body;
  EXPECT_NE(refusal("batch =", BodyFormat::toml), "accepted");
}

TEST(SweepRequest, DepthDoesNoHarm) {
  const std::string deep(60'000, '[');
  EXPECT_NE(refusal("{\"batch\": " + deep + std::string(60'000, ']') + "}"), "accepted");
  EXPECT_NE(refusal(deep), "accepted");
  EXPECT_THAT(refusal("{\"batch\": [[[[[1]]]]]}"), HasSubstr("nested too deeply"));
  EXPECT_NE(refusal("batch = " + deep + std::string(60'000, ']'), BodyFormat::toml), "accepted");
}

TEST(SweepRequest, KeysCannotBreakOutOfTheirLine) {
  EXPECT_THAT(refusal("{\"batch = 1\\njson\": \"x\"}"), HasSubstr("is not a key of a sweep"));
  EXPECT_THAT(refusal(R"({"set": {"mlp.hidden\" = 1}\njson = \"x": 1}})"),
              testing::Not(HasSubstr("accepted")));
}

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

TEST(SweepProcess, EveryLineAndTheEndArrive) {
  SweepProcess process(shell("echo one >&3; echo out; echo err >&2; printf 'two\\nhalf' >&3; exit 7"));
  std::vector<std::string> lines;
  const SweepExit exit = process.run([&](std::string_view line) { lines.emplace_back(line); });
  EXPECT_THAT(lines, ElementsAre("one", "two")) << "half a line is none";
  EXPECT_EQ(exit.exit_code, 7);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_EQ(exit.output, "out\nerr\n");
}

TEST(SweepProcess, ACrashIsTold) {
  SweepProcess process(shell("kill -SEGV $$"));
  EXPECT_EQ(process.run([](std::string_view) {}).signal, SIGSEGV);
}

TEST(SweepProcess, StoppingAsksFirst) {
  SweepProcess process(
      shell("trap 'echo kept >&3; exit 130' TERM; echo ready >&3; while :; do sleep 0.01; done"));
  std::vector<std::string> lines;
  const SweepExit exit = process.run([&](std::string_view line) {
    lines.emplace_back(line);
    if (line == "ready") process.stop(std::chrono::minutes(1));
  });
  EXPECT_EQ(exit.exit_code, 130);
  EXPECT_THAT(lines, ElementsAre("ready", "kept"));
}

TEST(SweepProcess, WhoDoesNotListenIsKilled) {
  SweepProcess process(shell("trap '' TERM; echo ready >&3; while :; do sleep 0.01; done"));
  const SweepExit exit = process.run([&](std::string_view) { process.stop(std::chrono::milliseconds(20)); });
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST(SweepProcess, ItCanBeStoppedFromAnotherThread) {
  SweepProcess process(shell("exec sleep 60"));
  std::thread stopper([&] { process.stop(std::chrono::minutes(1)); });
  EXPECT_EQ(process.run([](std::string_view) {}).signal, SIGTERM);
  stopper.join();
}

TEST(SweepProcess, AFileThatDoesNotExistIsAnError) {
  EXPECT_THROW(SweepProcess({"/no/such/file"}), Error);
}

TEST(SweepProcess, AHandlerThatThrowsEndsTheSweep) {
  SweepProcess process(shell("echo nonsense >&3; exec sleep 60"));
  EXPECT_THROW(process.run([](std::string_view) { throw std::runtime_error("no event"); }),
               std::runtime_error);
}

TEST(MachineTurn, TwoTakeTurns) {
  const test::TemporaryFolder folder;
  MachineTurn one(folder.path());
  MachineTurn two(folder.path());
  EXPECT_TRUE(one.try_take());
  EXPECT_TRUE(one.try_take()) << "it has it";
  EXPECT_FALSE(two.try_take());
  one.give_back();
  EXPECT_FALSE(one.try_take()) << "the other one waits";
  EXPECT_TRUE(two.try_take());
  EXPECT_FALSE(one.try_take());
  two.give_back();
  EXPECT_TRUE(one.try_take());
}

TEST(MachineTurn, OneThatNoLongerWaitsHoldsUpNoOther) {
  const test::TemporaryFolder folder;
  MachineTurn one(folder.path());
  EXPECT_TRUE(one.try_take());
  {
    MachineTurn gone(folder.path());
    EXPECT_FALSE(gone.try_take());
    MachineTurn tired(folder.path());
    EXPECT_FALSE(tired.try_take());
    tired.give_back();
  }
  one.give_back();
  EXPECT_TRUE(one.try_take());
}

TEST(MachineTurn, ALinkOrAnothersFileIsNoLock) {
  const test::TemporaryFolder folder;
  const std::string lock = folder.file("graphbench-" + std::to_string(geteuid()) + ".next");
  std::filesystem::create_symlink(folder.file("elsewhere"), lock);
  EXPECT_THROW(MachineTurn(folder.path()), Error);
  EXPECT_THROW(MachineTurn(folder.file("none")), Error);
}

TEST(MachineTurn, WithoutAFolderEveryTurnIsOurs) {
  MachineTurn one("");
  MachineTurn two("");
  EXPECT_TRUE(one.try_take());
  EXPECT_TRUE(two.try_take());
}

}  // namespace
}  // namespace graphbench::service
