// Tests the command line of one launch: one point on every axis, and the user's options for the rest.
#include "harness/judge/ab/sub_sweep.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "harness/options/option_table.hpp"
#include "tests/support/sample_plan.hpp"

namespace graphbench::judge {
namespace {

using testing::Contains;
using testing::Not;

model::WorkerTask task() {
  model::WorkerTask made = test::sample_task("whole", {1, 8});
  made.warmup = 3;
  return made;
}

std::string value_of(const std::vector<std::string>& arguments, const std::string& option) {
  const auto found = std::ranges::find(arguments, option);
  return found == arguments.end() || found + 1 == arguments.end() ? "absent" : *(found + 1);
}

TEST(SubSweep, NamesItsPointOnEveryAxis) {
  const auto arguments = arguments_of({task(), 9, "/tmp/x.json"}, {}, {});
  EXPECT_EQ(arguments.front(), "--sweep");
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--device", "host"},
                                                        {"--workload", "mlp"},
                                                        {"--preset", "tiny"},
                                                        {"--dtype", "fp32"},
                                                        {"--mode", "whole"},
                                                        {"--warmup", "3"},
                                                        {"--batch", "1,8"},
                                                        {"--launches", "1"},
                                                        {"--seed", "9"},
                                                        {"--json", "/tmp/x.json"}}) {
    EXPECT_EQ(value_of(arguments, option), value) << option;
  }
}

TEST(SubSweep, LeavesToTheBinaryWhatWasNotGiven) {
  const auto arguments = arguments_of({task(), 1, "x"}, {}, {});
  for (const char* option : {"--time-per-cell", "--samples-max", "--cpu", "--no-pin", "--cold-l2", "--set"})
    EXPECT_THAT(arguments, Not(Contains(option)));
}

TEST(SubSweep, NamesThePassTrainingAndWhatIsForItAlone) {
  model::WorkerTask trained = task();
  const options::RawOptions raw = {{"evaluate", {{"true", "--evaluate"}}}};
  EXPECT_THAT(arguments_of({trained, 1, "x"}, raw, {}), Not(Contains("--pass")));
  EXPECT_THAT(arguments_of({trained, 1, "x"}, raw, {}), Not(Contains("--evaluate")));
  trained.pass = "training";
  const auto arguments = arguments_of({trained, 1, "x"}, raw, {});
  EXPECT_EQ(value_of(arguments, "--pass"), "training");
  EXPECT_THAT(arguments, Contains("--evaluate"));
  EXPECT_THAT(arguments_of({trained, 1, "x"}, {}, {}), Not(Contains("--evaluate")));
}

TEST(SubSweep, PassesOnWhatWasGiven) {
  const options::RawOptions raw = {
      {"time-per-cell", {{"0.5", "--time-per-cell"}}},
      {"sustained", {{"15", "--sustained"}}},
      {"cold-l2", {{"true", "--cold-l2"}}},
      {"no-pin", {{"false", "x.toml:1: no-pin"}}},
      {"split-ops", {{"sdpa", "x.toml:2: split-ops"}, {"gelu", "x.toml:2: split-ops"}}}};
  options::SweepOptions options;
  options.plugins = {"/a.so", "/b.so"};
  options.set = {{"mlp", "hidden", 64, "", "--set", true}, {"conv", "channels", 8, "", "--set", true}};
  const auto arguments = arguments_of({task(), 1, "x"}, raw, options);
  EXPECT_EQ(value_of(arguments, "--time-per-cell"), "0.5");
  EXPECT_EQ(value_of(arguments, "--sustained"), "15");
  EXPECT_THAT(arguments, Contains("--cold-l2"));
  EXPECT_THAT(arguments, Not(Contains("--no-pin")));
  EXPECT_EQ(std::ranges::count(arguments, "--plugin"), 2);
  EXPECT_EQ(value_of(arguments, "--set"), "mlp.hidden=64");
  EXPECT_EQ(std::ranges::count(arguments, "--set"), 1) << "a sweep refuses to set what it does not run";
  EXPECT_EQ(value_of(arguments, "--split-ops"), "absent") << "a sweep refuses what changes no cell";
  model::WorkerTask pieces = task();
  pieces.mode = "piecewise";
  EXPECT_EQ(value_of(arguments_of({pieces, 1, "x"}, raw, options), "--split-ops"), "sdpa,gelu");
  options.set = {{"mlp", "cond", 0, "taken", "--set", true}};
  EXPECT_EQ(value_of(arguments_of({task(), 1, "x"}, raw, options), "--set"), "mlp.cond=taken");
}

// An option that a sweep takes and `ab` accepts reaches its sweeps, unless `ab` gives a value of its own.
TEST(SubSweep, PassesOnEveryOptionThatItsRowSays) {
  model::WorkerTask every = task();
  every.mode = "piecewise";
  every.pass = "training";
  every.device = "cuda:0";
  every.more_axes["io"] = "copy_in";
  for (const options::OptionSpec& option : options::sweep_options()) {
    EXPECT_EQ(std::ranges::count(refused_options(), option.name), option.in_ab == options::InAb::refused)
        << option.name;
    if (option.in_ab != options::InAb::passed) continue;
    const options::RawOptions raw = {{option.name, {{"true", "--" + option.name}}}};
    EXPECT_EQ(std::ranges::count(arguments_of({every, 1, "x"}, raw, {}), "--" + option.name), 1)
        << option.name;
  }
}

TEST(SubSweep, SaysOfCallersWhatItsCellsHave) {
  const options::RawOptions raw = {{"io-addresses", {{"fresh", "--io-addresses"}}},
                                   {"mutated-inputs", {{"copy_back", "--mutated-inputs"}}},
                                   {"on-skip", {{"eager", "--on-skip"}}},
                                   {"capture-stream", {{"default", "--capture-stream"}}}};
  model::WorkerTask own = task();
  for (const auto& [io, addresses, inputs] :
       {std::tuple{"", false, false}, {"update", true, false}, {"copy_in", true, true}}) {
    own.more_axes.clear();
    if (*io != '\0') own.more_axes["io"] = io;
    const auto arguments = arguments_of({own, 1, "x"}, raw, {});
    EXPECT_EQ(std::ranges::count(arguments, "--io-addresses"), addresses) << io;
    EXPECT_EQ(std::ranges::count(arguments, "--mutated-inputs"), inputs) << io;
    EXPECT_EQ(value_of(arguments, "--on-skip"), "eager");
    EXPECT_EQ(value_of(arguments, "--capture-stream"), "default");
  }
}

}  // namespace
}  // namespace graphbench::judge
