// Tests plans: their cells and tasks, the order of these, and what is refused before anything runs. Tests
// the plan's hash: stable, and different exactly if the measurement differs.
#include "harness/sweep/plan/make_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/option_table.hpp"
#include "tests/support/refusal.hpp"
#include "tests/unit/harness/sweep/plan/sample_catalog.hpp"

namespace graphbench::sweep {
namespace {

using options::RawOptions;
using testing::ElementsAre;
using testing::HasSubstr;

// One launch, unless the options say how many.
model::Plan planned(RawOptions raw, const Catalog& catalog = sample_catalog()) {
  raw.try_emplace("launches", std::vector<options::RawItem>{{"1", "--launches"}});
  return make_plan(options::check_options(raw), catalog, {"graphbench", "--sweep"});
}

RawOptions flags(const std::map<std::string, std::string>& texts) {
  RawOptions raw;
  for (const auto& [name, text] : texts) raw[name] = {{text, "--" + name}};
  return raw;
}

std::string refusal(const std::map<std::string, std::string>& texts) {
  return test::refusal([&] { planned(flags(texts)); });
}

std::vector<std::string> ids(const model::Plan& plan) {
  std::vector<std::string> result;
  for (const model::Cell& cell : plan.cells) result.push_back(model::id_of(cell));
  return result;
}

TEST(MakePlan, CellsFollowTheAxesWithTheModeInnermost) {
  const model::Plan plan =
      planned(flags({{"workload", "conv,mlp"}, {"batch", "2,1"}, {"warmup", "3"}, {"mode", "whole,eager"}}));
  EXPECT_THAT(ids(plan),
              ElementsAre("conv/tiny/fp32/forward/b2/w3/whole", "conv/tiny/fp32/forward/b2/w3/eager",
                          "conv/tiny/fp32/forward/b1/w3/whole", "conv/tiny/fp32/forward/b1/w3/eager",
                          "mlp/tiny/fp32/forward/b2/w3/whole", "mlp/tiny/fp32/forward/b2/w3/eager",
                          "mlp/tiny/fp32/forward/b1/w3/whole", "mlp/tiny/fp32/forward/b1/w3/eager"));
}

TEST(MakePlan, OfAPluginsWorkloadsWhereItBringsSome) {
  options::SweepOptions options = options::check_options({});
  options.plugins = {"/p.so"};
  EXPECT_THAT(make_plan(options, sample_catalog(), {}).facts.axes.workload, ElementsAre("mine"));
  Catalog without = sample_catalog();
  without.workloads.pop_back();
  EXPECT_THAT(make_plan(options, without, {}).facts.axes.workload, ElementsAre("mlp", "conv"))
      << "a plugin may bring ops or passes alone";
}

TEST(MakePlan, TheDefaultSweepIsEveryBatchAndTheQuestionOfWarmups) {
  const model::Plan plan =
      make_plan(options::check_options(options::with_default_plan({})), sample_catalog(), {});
  EXPECT_THAT(plan.facts.axes.workload, ElementsAre("mlp", "conv"));
  EXPECT_EQ(plan.facts.launches, 3);
  EXPECT_EQ(plan.cells.size(), 2u * (3 * 4 + 4));
  EXPECT_EQ(plan.cells.back().more_axes, (std::map<std::string, std::string>{{"prepare", "first-use"}}));
  EXPECT_EQ(plan.tasks.size(), 3u * 2 * (3 + 4));
}

TEST(MakePlan, MeasuresACellOfTwoGridsOnce) {
  RawOptions raw = flags({{"workload", "mlp"}, {"batch", "1,2"}, {"mode", "whole"}, {"warmup", "3"}});
  raw["grid"] = {{"batch=2,4 warmup=3,1", "--grid"}, {"batch=4", "--grid"}};
  const model::Plan plan = planned(raw);
  EXPECT_THAT(ids(plan), ElementsAre("mlp/tiny/fp32/forward/b1/w3/whole", "mlp/tiny/fp32/forward/b2/w3/whole",
                                     "mlp/tiny/fp32/forward/b2/w1/whole", "mlp/tiny/fp32/forward/b4/w3/whole",
                                     "mlp/tiny/fp32/forward/b4/w1/whole"));
  std::map<std::int64_t, std::vector<std::vector<std::int64_t>>> batches;
  for (const model::WorkerTask& task : plan.tasks) batches[task.warmup].push_back(task.batches);
  EXPECT_THAT(batches[3], testing::UnorderedElementsAre(ElementsAre(1, 2), ElementsAre(4)));
  EXPECT_THAT(batches[1], ElementsAre(ElementsAre(2, 4)));
}

TEST(MakePlan, AllGridsTogetherMayNotBeTooLarge) {
  EXPECT_THAT(refusal({{"workload", "mlp"},
                       {"mode", "whole"},
                       {"batch", "1:9999:+1"},
                       {"warmup", "1:9:+1"},
                       {"grid", "warmup=10:14:+1"}}),
              HasSubstr("the axes multiply to 139986 measurements"));
}

TEST(MakePlan, AForeignStepIsSampledForLongerUnlessTheTimeIsGiven) {
  Catalog foreign = sample_catalog();
  foreign.workloads.back().modes = {"eager", "whole"};
  const auto seconds_of = [](const model::Plan& plan) {
    return plan.tasks.front().settings.sampling.seconds_max;
  };
  const model::Plan plan = planned(flags({{"workload", "mine"}}), foreign);
  EXPECT_EQ(seconds_of(plan), 1.0);
  EXPECT_EQ(plan.facts.time_per_cell, 1.0);
  const model::Plan given = planned(flags({{"workload", "mine"}, {"time-per-cell", "0.3"}}), foreign);
  EXPECT_EQ(seconds_of(given), 0.3);
  EXPECT_EQ(given.facts.time_per_cell, std::nullopt);
  EXPECT_EQ(plan.facts.hash,
            planned(flags({{"workload", "mine"}, {"time-per-cell", "0.15"}}), foreign).facts.hash)
      << "baselines of the default before still compare";
  EXPECT_EQ(seconds_of(planned({})), 0.15);
}

TEST(MakePlan, DefaultsFollowTheDevice) {
  Catalog cuda = sample_catalog();
  cuda.device = "cuda:1";
  cuda.facts.kind = "cuda";
  const model::Plan plan = planned({}, cuda);
  EXPECT_THAT(plan.facts.axes.dtype, ElementsAre("bf16"));
  EXPECT_THAT(plan.facts.axes.batch, ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 256));
  EXPECT_THAT(planned({}).facts.axes.batch, ElementsAre(1, 4, 16, 64));
  EXPECT_THAT(plan.facts.axes.preset, ElementsAre("base"));
  EXPECT_EQ(plan.tasks.front().device, "cuda:1");
}

TEST(MakePlan, RefusesAValueThatWouldChangeNoCell) {
  EXPECT_EQ(
      refusal({{"pass", "training"}, {"optimizer-in", "graph,eager"}}),
      "--optimizer-in: \"eager\" would change no cell of this plan: give the value only with --pass training "
      "--optimizer sgd,adamw");
  EXPECT_THAT(refusal({{"micro-batches", "2"}}), HasSubstr("give the value only with --pass training"));
  EXPECT_THAT(refusal({{"mode", "eager"}, {"io", "copy_in"}}), HasSubstr("--mode whole,piecewise"));
  EXPECT_EQ(planned(flags({{"pass", "training"}, {"optimizer", "none,sgd"}, {"optimizer-in", "eager"}}))
                .facts.axes.more_axes.at("optimizer-in"),
            std::vector<std::string>{"eager"});
}

TEST(MakePlan, ATaskHasAllBatchesOfItsMode) {
  const model::Plan plan = planned(flags({{"workload", "mlp"},
                                          {"batch", "1:8:x2"},
                                          {"warmup", "0"},
                                          {"mode", "whole"},
                                          {"seed", "5"},
                                          {"set", "mlp.hidden=32"}}));
  ASSERT_EQ(plan.tasks.size(), 1u);
  const model::WorkerTask& task = plan.tasks.front();
  EXPECT_THAT(task.batches, ElementsAre(1, 2, 4, 8));
  EXPECT_EQ(task.settings.seed, 5);
  EXPECT_EQ(task.options.at("hidden"), 32);
}

TEST(MakePlan, ACellThatLoadsAtItsFirstUseHasATaskOfItsOwn) {
  const model::Plan plan = planned(flags({{"workload", "mlp"},
                                          {"batch", "1,2"},
                                          {"warmup", "0"},
                                          {"mode", "whole"},
                                          {"prepare", "ahead,first-use"}}));
  EXPECT_THAT(ids(plan), testing::UnorderedElementsAre(
                             "mlp/tiny/fp32/forward/b1/w0/whole", "mlp/tiny/fp32/forward/b2/w0/whole",
                             "mlp/tiny/fp32/forward/b1/w0/whole/prepare=first-use",
                             "mlp/tiny/fp32/forward/b2/w0/whole/prepare=first-use"));
  std::vector<std::vector<std::int64_t>> batches;
  for (const model::WorkerTask& task : plan.tasks) batches.push_back(task.batches);
  EXPECT_THAT(batches, testing::UnorderedElementsAre(ElementsAre(1, 2), ElementsAre(1), ElementsAre(2)));
}

std::string key(const model::WorkerTask& task) {
  return task.workload + task.dtype + task.mode + std::to_string(task.warmup);
}

TEST(MakePlan, EveryLaunchIsARoundOfAllTasksInAnOrderOfItsOwn) {
  const model::Plan plan = planned(flags({{"launches", "3"}}));
  const std::size_t round = plan.tasks.size() / 3;
  std::vector<std::vector<std::string>> orders(3);
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    EXPECT_EQ(plan.tasks[i].launch, static_cast<std::int64_t>(i / round));
    orders[i / round].push_back(key(plan.tasks[i]));
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[2]);
  for (auto& order : orders) std::sort(order.begin(), order.end());
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_EQ(orders[1], orders[2]);
  EXPECT_EQ(std::set<std::string>(orders[0].begin(), orders[0].end()).size(), round);
}

TEST(MakePlan, TheOrderDependsOnTheSeedAlone) {
  const auto order = [](const std::string& seed) {
    std::vector<std::string> keys;
    for (const model::WorkerTask& task : planned(flags({{"seed", seed}})).tasks) keys.push_back(key(task));
    return keys;
  };
  EXPECT_EQ(order("1"), order("1"));
  EXPECT_NE(order("1"), order("2"));
}

TEST(MakePlan, RefusesUnknownWorkloadsPresetsAndDtypesNamingTheKnown) {
  EXPECT_EQ(refusal({{"workload", "mpl"}}),
            "--workload: \"mpl\" is not a workload: give one of mlp, conv, mine; did you mean \"mlp\"?");
  EXPECT_EQ(refusal({{"preset", "bsae"}}),
            "--preset: \"bsae\" is not a preset of mlp: give one of base, tiny; did you mean \"base\"?");
  EXPECT_THAT(refusal({{"workload", "mlp,mine"}, {"preset", "tiny"}}),
              HasSubstr("is not a preset of mine: give one of odd"));
  EXPECT_EQ(refusal({{"dtype", "fp16"}}),
            "--dtype: \"fp16\" is not supported by host (a CPU): give one of bf16, fp32");
}

TEST(MakePlan, AStepOfPyTorchRunsOnTheHostInModeEagerAloneUnlessTheUserNamesModes) {
  Catalog catalog = sample_catalog();
  catalog.workloads = {{"step-build", "a step", "torch", {}, {}, {"eager", "whole", "torch.replay"}}};
  options::SweepOptions options = options::check_options({});
  options.plugins = {"/p.so"};
  const auto modes = [&] { return make_plan(options, catalog, {}).facts.axes.mode; };
  EXPECT_THAT(modes(), ElementsAre("eager", "whole", "torch.replay")) << "a plugin's step may have graphs";
  options.torch = {"/step.py", "build", "python3"};
  EXPECT_THAT(modes(), ElementsAre("eager"));
  EXPECT_EQ(make_plan(options, catalog, {}).tasks.size(), static_cast<std::size_t>(options.launches));
  catalog.facts.kind = "cuda";
  EXPECT_THAT(modes(), ElementsAre("eager", "whole", "torch.replay"));
  catalog.facts.kind = "host";
  options = options::check_options(flags({{"mode", "eager,whole"}}));
  options.torch = {"/step.py", "build", "python3"};
  EXPECT_THAT(modes(), ElementsAre("eager", "whole"));
}

model::Plan planned_step(std::map<std::string, std::string> texts) {
  Catalog catalog = sample_catalog();
  catalog.workloads = {{"step",
                        "",
                        "torch",
                        {},
                        {},
                        {"eager", "whole", "piecewise", "torch.cudagraphs", "torch.reduce-overhead"}}};
  texts.insert({{"launches", "1"}, {"batch", "2"}});
  options::SweepOptions options = options::check_options(flags(texts));
  options.torch = {"/step.py", "build", "python3"};
  return make_plan(options, catalog, {});
}

TEST(MakePlan, AxesOfPyTorchStepsAreOfTheCellsThatTheyChange) {
  const std::string whole = "step/own/own/own/b2/w3/whole", compiled = whole + "/torch-compile=default";
  EXPECT_THAT(
      ids(planned_step(
          {{"mode", "eager,whole"}, {"torch-compile", "none,default"}, {"torch-hide-capture", "on"}})),
      testing::UnorderedElementsAre("step/own/own/own/b2/w3/eager",
                                    "step/own/own/own/b2/w3/eager/torch-compile=default",
                                    whole + "/torch-hide-capture=on", compiled + "/torch-hide-capture=on"));
  const std::string general = "/torch-dynamic=on", inductor = general + "/torch-inductor=a=1+b=2";
  const std::string reduced = "step/own/own/own/b2/w3/torch.reduce-overhead";
  EXPECT_THAT(
      ids(planned_step({{"mode", "whole,torch.reduce-overhead,torch.cudagraphs"},
                        {"torch-compile", "none,default"},
                        {"torch-dynamic", "on"},
                        {"torch-inductor", "none,a=1+b=2"},
                        {"tune-sizes", "2"}})),
      testing::UnorderedElementsAre(whole, compiled + general, compiled + inductor, reduced + general,
                                    reduced + inductor, "step/own/own/own/b2/w3/torch.cudagraphs" + general));
}

TEST(MakePlan, RefusesValuesThatCompileNothingOfAPyTorchStep) {
  const auto refused = [](const std::string& option, const std::string& value, const std::string& compile,
                          const std::string& words) {
    const std::map<std::string, std::string> texts{
        {"mode", "piecewise"}, {"torch-compile", compile}, {option, value}};
    EXPECT_THAT(test::refusal([&] { planned_step(texts); }),
                testing::AllOf(testing::StartsWith("--" + option + ": "), HasSubstr(words)));
  };
  refused("torch-dynamic", "on", "none", "--torch-compile default,max-autotune");
  refused("torch-inductor", "a=1", "none", "--torch-compile default,max-autotune");
  refused("torch-inductor", "a=1+b", "default", "\"a=1+b\" is not KEY=VALUE");
  refused("torch-inductor", "a=/b", "default", "\"a=/b\" is not KEY=VALUE");
  refused("torch-pieces", "traced", "default", "are always traced");
  refused("tune-sizes", "2", "default", "--torch-dynamic on");
}

TEST(MakePlan, AWorkloadWithoutTheDefaultPresetRunsItsFirst) {
  const model::Plan plan = planned(flags({{"workload", "mlp,mine"}}));
  EXPECT_THAT(plan.facts.axes.preset, ElementsAre("tiny", "odd"));
  EXPECT_EQ(plan.cells.back().preset, "odd");
}

TEST(MakePlan, RefusesWrongSets) {
  EXPECT_THAT(refusal({{"set", "mlp.hiden=3"}}), HasSubstr("did you mean \"hidden\"?"));
  EXPECT_THAT(refusal({{"set", "mlp.hidden=0"}}), HasSubstr("give 1 to 4096"));
  EXPECT_THAT(refusal({{"set", "mlp.hidden=4097"}}), HasSubstr("give 1 to 4096"));
  EXPECT_THAT(refusal({{"set", "mpl.hidden=3"}}), HasSubstr("is not a workload"));
  EXPECT_THAT(refusal({{"set", "conv.hidden=3"}}), HasSubstr("this workload has no options"));
  EXPECT_THAT(refusal({{"workload", "conv"}, {"set", "mlp.hidden=3"}}),
              HasSubstr("\"mlp\" is not in this sweep"));
}

TEST(MakePlan, AFileMaySetWorkloadsThatThisSweepLeavesOut) {
  RawOptions raw = flags({{"workload", "conv"}});
  raw["set"] = {{"mlp.hidden=3", "sweep.toml:1: set"}};
  EXPECT_EQ(planned(raw).facts.axes.workload, std::vector<std::string>{"conv"});
}

TEST(MakePlan, PlansTensOfThousandsOfCellsAndRefusesASweepThatCouldNotEnd) {
  EXPECT_EQ(planned(flags({{"workload", "mlp"}, {"batch", "1:1000:+1"}, {"warmup", "0:11:+1"}})).cells.size(),
            36'000u);
  EXPECT_THAT(refusal({{"batch", "1:10000:+1"}, {"warmup", "0:9999:+1"}}), HasSubstr("give shorter lists"));
  EXPECT_THAT(
      refusal({{"workload", "mlp"}, {"batch", "1:3000:+1"}, {"warmup", "0:11:+1"}}),
      HasSubstr(
          "the axes multiply to 108000 measurements: give shorter lists, for at most 100000 measurements"));
}

// For each option with a reach: refused on a command line where it changes no cell, and noted where it comes
// from a file.
TEST(MakePlan, RefusesOptionsThatChangeNoCell) {
  EXPECT_EQ(
      refusal({{"mode", "eager"}, {"check-addresses", "true"}}),
      "--check-addresses: the option would change no cell of this plan: give it only with a workload in a "
      "graph mode, such as --mode whole");
  EXPECT_EQ(refusal({{"mode", "eager,whole"}, {"split-ops", "linear"}}),
            "--split-ops: \"linear\" would change no cell of this plan: give it only with --mode piecewise");
  EXPECT_THAT(refusal({{"io-addresses", "rotate"}}), HasSubstr("give it only with --io"));
  EXPECT_THAT(refusal({{"mode", "whole"}, {"io", "copy_out"}, {"mutated-inputs", "copy_back"}}),
              HasSubstr("--io copy_in, copy_in_out or copy_if_moved"));
  EXPECT_THAT(refusal({{"io", "update"}, {"io-source", "pinned"}}),
              HasSubstr("--io-source: \"pinned\" would"));
  EXPECT_THAT(refusal({{"io", "copy_if_moved"}, {"io-source", "pinned"}}),
              HasSubstr("copy_if_moved takes device alone, because host memory is never the graph's own"));
  EXPECT_EQ(refusal({{"mode", "whole"}, {"check-addresses", "true"}, {"io-addresses", "fresh"}}), "accepted");
  RawOptions raw = flags({{"mode", "eager"}});
  raw["check-addresses"] = {{"true", "a.toml:1: check-addresses"}};
  EXPECT_THAT(planned(raw).facts.without_effect,
              ElementsAre(HasSubstr("a.toml:1: check-addresses: the option would change no cell")));
  raw["check-addresses"] = {{"false", "a.toml:1: check-addresses"}};
  EXPECT_THAT(planned(raw).facts.without_effect, testing::IsEmpty());
  options::SweepOptions asked = options::check_options(flags({{"mode", "eager"}, {"evaluate", "true"}}));
  asked.requested = true;
  EXPECT_EQ(make_plan(asked, sample_catalog(), {}).facts.without_effect.size(), 1u)
      << "a client's request may serve several plans";
}

TEST(MakePlan, NamesAWorkloadWithoutTheDevicesDefaultPreset) {
  EXPECT_THAT(
      planned(flags({{"workload", "mlp,mine"}})).facts.without_effect,
      ElementsAre("--preset: workload mine has no preset \"tiny\", the default on host, so it runs with "
                  "\"odd\""));
  EXPECT_THAT(planned(flags({{"workload", "mine"}, {"preset", "odd"}})).facts.without_effect,
              testing::IsEmpty());
}

TEST(MakePlan, FindsEveryOptionWithAReachWithoutEffect) {
  std::vector<std::string> silent;
  for (const options::OptionSpec& option : options::sweep_options()) {
    if (option.reach.changes == nullptr) continue;
    model::Cell cell;
    cell.mode = "eager";
    cell.pass = "forward";
    cell.preset = std::string(model::of_its_own);
    if (option.reach.changes(cell, "host", {})) silent.push_back(option.name);
  }
  EXPECT_THAT(silent, testing::IsEmpty());
}

std::string hash_of(const std::map<std::string, std::string>& texts,
                    const Catalog& catalog = sample_catalog()) {
  options::RawOptions raw;
  for (const auto& [name, text] : texts) raw[name] = {{text, "--" + name}};
  return make_plan(options::check_options(raw), catalog, {"graphbench"}).facts.hash;
}

TEST(PlanHash, IsStableAcrossBuilds) {
  // A change of this value makes old results incomparable with new ones, so it must be intended.
  EXPECT_EQ(hash_of({{"workload", "mlp"},
                     {"batch", "1,2"},
                     {"warmup", "0,1,3,10"},
                     {"set", "mlp.hidden=8"},
                     {"time-per-cell", "0.25"},
                     {"samples-max", "100"}}),
            "a4ed0e598f6d5c22457c44378e20eb42d9126d8b53cebb6b9a28e0c6050ad567");
}

TEST(PlanHash, DependsOnEveryOptionThatChangesTheMeasurement) {
  const std::string base = hash_of({});
  EXPECT_NE(hash_of({{"grid", "warmup=0"}}), base);
  EXPECT_NE(hash_of({{"grid", "warmup=0"}}), hash_of({{"grid", "warmup=1"}}));
  for (const auto& [name, text] : std::map<std::string, std::string>{{"workload", "mlp"},
                                                                     {"mode", "whole"},
                                                                     {"batch", "1"},
                                                                     {"warmup", "0"},
                                                                     {"dtype", "bf16"},
                                                                     {"preset", "base"},
                                                                     {"set", "mlp.hidden=8"},
                                                                     {"split-ops", "linear"},
                                                                     {"on-skip", "eager"},
                                                                     {"cold-l2", "true"},
                                                                     {"check-addresses", "true"},
                                                                     {"time-per-cell", "0.2"},
                                                                     {"samples-max", "10"}}) {
    EXPECT_NE(hash_of({{name, text}}), base) << name;
  }
}

// An option that reaches a worker is in the hash, or here. (cold-l2 has a line of its own in the hash.)
TEST(PlanHash, LeavesOutTheseSettingsAlone) {
  const auto settings_of = [](const options::RawOptions& raw) {
    const options::SweepOptions checked = options::check_options(raw);
    return model::write_data(static_cast<const model::Settings&>(checked));
  };
  const std::string base = settings_of({});
  std::set<std::string> left_out;
  for (const options::OptionSpec& option : options::sweep_options()) {
    if (option.in_hash != options::InHash::no) continue;
    for (const char* text : {"true", "7", "on", "off", "none"}) {
      try {
        if (settings_of(flags({{option.name, text}})) != base) left_out.insert(option.name);
      } catch (const std::exception&) {  // not a value of this option
      }
    }
  }
  EXPECT_THAT(left_out, ElementsAre("cold-l2", "cpu", "dump-graph", "evaluate", "no-pin", "profile", "seed",
                                    "sustained", "trace"));
}

TEST(PlanHash, DoesNotDependOnLaunchesRandomDataOrWhereTheResultGoes) {
  const std::string base = hash_of({});
  for (const auto& [name, text] : std::map<std::string, std::string>{{"launches", "2"},
                                                                     {"seed", "2"},
                                                                     {"json", "other.json"},
                                                                     {"quiet", "true"},
                                                                     {"worker-timeout", "5"}})
    EXPECT_EQ(hash_of({{name, text}}), base) << name;
  EXPECT_EQ(hash_of({{"batch", "1:64:x4"}}), base) << "a default given by name is the default";
}

}  // namespace
}  // namespace graphbench::sweep
