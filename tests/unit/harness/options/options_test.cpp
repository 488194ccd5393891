// Tests checked options: defaults, refusals, flags that override the file; and which shard a process is.
#include "harness/options/options.hpp"

#include <gmock/gmock.h>

#include <map>

#include "harness/options/option_table.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::options {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

RawOptions flag(const std::string& name, const std::string& text) {
  return {{name, {{text, "--" + name}}}};
}

std::string refusal(const RawOptions& raw) {
  return test::refusal([&] { check_options(raw); });
}

TEST(Options, DefaultsAreTheContracts) {
  const SweepOptions options = check_options({});
  EXPECT_TRUE(options.axes.workload.empty());
  EXPECT_THAT(options.axes.mode, ElementsAre("eager", "whole", "piecewise"));
  EXPECT_TRUE(options.axes.batch.empty()) << "the device decides, in the plan";
  EXPECT_THAT(options.axes.warmup, ElementsAre(3));
  EXPECT_THAT(options.more_grids, testing::IsEmpty());
  EXPECT_TRUE(options.axes.dtype.empty());
  EXPECT_TRUE(options.axes.preset.empty());
  EXPECT_EQ(options.device, "auto");
  EXPECT_EQ(options.launches, 3);
  EXPECT_EQ(options.json, "graphbench.json");
  EXPECT_EQ(options.seed, 1);
  EXPECT_EQ(options.worker_timeout_seconds, 120);
  EXPECT_FALSE(options.quiet);
}

TEST(Options, OfAGridAreThePlansButForTheAxesItNames) {
  RawOptions raw = flag("batch", "1,2");
  raw["grid"] = {{"warmup=0,1 prepare=first-use", "--grid"}};
  const SweepOptions options = check_options(raw);
  ASSERT_EQ(options.more_grids.size(), 1u);
  const model::Axes& grid = options.more_grids.front();
  EXPECT_THAT(grid.batch, ElementsAre(1, 2));
  EXPECT_THAT(grid.warmup, ElementsAre(0, 1));
  EXPECT_THAT(grid.more_axes.at("prepare"), ElementsAre("first-use"));
  EXPECT_TRUE(options.axes.more_axes.empty());

  EXPECT_EQ(refusal(flag("grid", "warmup")),
            "--grid: \"warmup\" is not AXIS=VALUES: give e.g. \"warmup=0,1,3 mode=whole\"");
  EXPECT_THAT(refusal(flag("grid", "warmups=3")), HasSubstr("did you mean \"warmup\"?"));
  EXPECT_THAT(refusal(flag("grid", "workload=mlp")), HasSubstr("\"workload\" is not a grid's axis"));
  EXPECT_EQ(refusal(flag("grid", "batch=1 batch=2")),
            "--grid: \"batch\" is given twice: give each axis once");
  EXPECT_THAT(refusal(flag("grid", "batch=0")), HasSubstr("--grid: "));
  EXPECT_THAT(refusal(flag("grid", "")), HasSubstr("--grid: "));
}

TEST(Options, AreADefaultPlansWhereNoAxisIsGiven) {
  const SweepOptions options = check_options(with_default_plan(flag("workload", "mlp")));
  EXPECT_EQ(options.launches, 3);
  ASSERT_EQ(options.more_grids.size(), 1u);
  EXPECT_THAT(options.more_grids.front().warmup, ElementsAre(0, 1, 3, 10));
  EXPECT_EQ(check_options(with_default_plan(flag("launches", "10"))).launches, 10);
  for (const auto& [name, text] : {std::pair{"batch", "8"}, {"mode", "whole"}, {"grid", "batch=8"}}) {
    const SweepOptions given = check_options(with_default_plan(flag(name, text)));
    EXPECT_EQ(given.launches, 3) << name;
    EXPECT_EQ(given.more_grids.size(), std::string(name) == "grid" ? 1u : 0u) << name;
  }
}

TEST(Options, KnowWhereTheyWereGiven) {
  const SweepOptions options = check_options({{"dtype", {{"fp32", "a.toml:3: dtype"}}}});
  EXPECT_EQ(options.where("dtype"), "a.toml:3: dtype");
  EXPECT_EQ(options.where("preset"), "--preset");
}

TEST(Options, OfAShardMayNameIt) {
  RawOptions raw = flag("shard", "3/8");
  EXPECT_EQ(check_options(raw).json, "graphbench.3-of-8.json");
  raw["json"] = {{"{shard}/{shard}.json", "--json"}};
  raw["prometheus-push"] = {{"http://localhost:9091", "--prometheus-push"}};
  raw["push-grouping"] = {{"shard={shard}", "--push-grouping"}};
  EXPECT_EQ(check_options(raw).json, "3-of-8/3-of-8.json");
  EXPECT_THAT(check_options(raw).prometheus.grouping, ElementsAre("shard=3-of-8"));
}

TEST(Options, UnderstandTheModesOfVllm) {
  EXPECT_THAT(check_options(flag("mode", "none,FULL,PIECEWISE")).axes.mode,
              ElementsAre("eager", "whole", "piecewise"));
  EXPECT_EQ(refusal(flag("mode", "full,whole")), "--mode: \"whole\" is given twice: give each mode once");
}

TEST(Options, RefuseUnknownWordsWithASuggestion) {
  EXPECT_EQ(refusal(flag("mode", "eager,hole")),
            "--mode: \"hole\" is not a mode: give eager, whole, piecewise; did you mean \"whole\"?");
  EXPECT_THAT(refusal(flag("dtype", "fp8")), HasSubstr("give bf16, fp16, fp32"));
  EXPECT_THAT(refusal(flag("device", "gpu")), HasSubstr("give auto, cuda, cuda:N or host"));
  EXPECT_THAT(refusal(flag("plugin", "/no/such/plugin.so")), HasSubstr("No such file or directory"));
}

RawOptions with_io(const std::string& io, const std::string& name, const std::string& text) {
  RawOptions raw = flag(name, text);
  raw["io"] = {{io, "--io"}};
  return raw;
}

TEST(Options, RefuseWrongWordsOfCallers) {
  EXPECT_EQ(refusal(with_io("update,exec_per_set", "io-addresses", "fresh")),
            "--io-addresses: --io exec_per_set needs addresses that repeat: give --io-addresses rotate");
  EXPECT_THAT(refusal(with_io("copy_if_moved", "io-same", "0.8")), HasSubstr("give 0, 0.5, 0.9, 0.99, 1"));
  EXPECT_THAT(refusal(flag("io", "copyin")), HasSubstr("did you mean \"copy_in\"?"));
  EXPECT_THAT(refusal(flag("on-skip", "eagr")), HasSubstr("give record, eager; did you mean \"eager\"?"));
  EXPECT_THAT(refusal(with_io("copy_in", "mutated-inputs", "copy")), HasSubstr("give refuse, copy_back"));
  EXPECT_THAT(refusal(with_io("copy_in", "io-source", "disk")), HasSubstr("give device, pinned, pageable"));
}

TEST(Options, TakeWhatACallerDoes) {
  EXPECT_TRUE(changed_settings(check_options({})).empty());
  RawOptions raw = with_io("static,copy_in_out", "io-addresses", "fresh");
  raw["mutated-inputs"] = {{"copy_back", "--mutated-inputs"}};
  raw["on-skip"] = {{"eager", "--on-skip"}};
  raw["capture-stream"] = {{"default", "--capture-stream"}};
  raw["check-addresses"] = {{"true", "--check-addresses"}};
  raw["tune-sizes"] = {{"1,8:32:x2", "--tune-sizes"}};
  raw["dump-graph"] = {{"dumps/of/../it", "--dump-graph"}};
  const SweepOptions given = check_options(raw);
  EXPECT_TRUE(given.caller.dump_graph.starts_with("/") && given.caller.dump_graph.ends_with("/dumps/it"))
      << given.caller.dump_graph;
  EXPECT_THAT(changed_settings(given),
              ElementsAre(Pair("capture-stream", "default"), Pair("check-addresses", "on"),
                          Pair("io-addresses", "fresh"), Pair("mutated-inputs", "copy_back"),
                          Pair("on-skip", "eager"), Pair("tune-sizes", "1,8,16,32")));
}

// Each row names only options that exist, and an option that reaches a worker comes back from its place.
TEST(OptionTable, NamesOptionsAndCommandsThatExist) {
  for (const OptionSpec& option : sweep_options()) {
    for (const std::vector<std::string>& names : {option.needs, option.excludes}) {
      for (const std::string& name : names) EXPECT_NE(find_option(name), nullptr) << option.name;
    }
    EXPECT_EQ(option.reach.changes == nullptr, option.reach.with.empty()) << option.name;
    EXPECT_EQ(option.kind == OptionKind::flag, option.placeholder.empty()) << option.name;
    EXPECT_FALSE(option.kind == OptionKind::words && option.value.index() != 0 && option.noun.empty())
        << option.name;
    if (option.in_hash == InHash::no) continue;
    EXPECT_NE(option.value.index(), 0u) << option.name << ": the hash has the text of a place";
    EXPECT_NE(option.in_ab, InAb::own) << option.name;
  }
}

TEST(Options, RefuseTheirNeedsAndWhatTheyExclude) {
  EXPECT_EQ(refusal(flag("weights", "w")),
            "--weights: the option does nothing without --package: give --package too");
  EXPECT_EQ(refusal(flag("linger", "3")),
            "--linger: the option does nothing without --prometheus-listen or --push-delete: give "
            "--prometheus-listen or --push-delete too");
  RawOptions raw = flag("cpu", "0");
  raw["no-pin"] = {{"true", "--no-pin"}};
  EXPECT_EQ(refusal(raw),
            "--no-pin: the option cannot be combined with --cpu: leave one of the two options out");
  raw["no-pin"] = {{"false", "a.toml:1: no-pin"}};
  EXPECT_EQ(refusal(raw), "accepted");
}

TEST(Options, RefuseMalformedDeviceNumbers) {
  for (const char* device : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999", "host:x"})
    EXPECT_THAT(refusal(flag("device", device)), HasSubstr("is not a device")) << device;
  EXPECT_EQ(check_options(flag("device", "cuda:7")).device, "cuda:7");
}

TEST(Options, RefuseEmptyAndRepeatedWords) {
  EXPECT_THAT(refusal(flag("workload", "mlp,,conv")), HasSubstr("empty workload"));
  EXPECT_THAT(refusal(flag("workload", "")), HasSubstr("empty workload"));
  EXPECT_THAT(refusal(flag("workload", "mlp,mlp")), HasSubstr("\"mlp\" is given twice"));
  EXPECT_THAT(refusal(flag("preset", "")), HasSubstr("is empty"));
}

TEST(Options, RefuseNumbersOutsideTheirBounds) {
  for (const char* text : {"0", "-1", "10001", "two", "", "1.5"})
    EXPECT_THAT(refusal(flag("launches", text)), HasSubstr("give a whole number from 1 to 10000")) << text;
  for (const char* text : {"0", "-1", "nan", "inf", "1e9", "", "1s"})
    EXPECT_THAT(refusal(flag("time-per-cell", text)), HasSubstr("give seconds")) << text;
  EXPECT_THAT(refusal(flag("sustained", "3.9")), HasSubstr("\"3.9\" is too short"));
  EXPECT_EQ(check_options(flag("sustained", "4")).instruments.sustained_seconds, 4);
  EXPECT_FALSE(check_options({}).instruments.sustained_seconds);
  EXPECT_EQ(check_options(flag("seed", "0")).seed, 0);
}

TEST(Options, SplitSetIntoItsParts) {
  const SweepOptions options = check_options(flag("set", "mlp.hidden=2048"));
  ASSERT_EQ(options.set.size(), 1u);
  EXPECT_EQ(options.set[0].workload, "mlp");
  EXPECT_EQ(options.set[0].key, "hidden");
  EXPECT_EQ(options.set[0].value, 2048);
  EXPECT_TRUE(options.set[0].from_flag);
}

TEST(Options, RefuseMalformedSet) {
  for (const char* text : {"", "mlp", "mlp.hidden", "hidden=3", ".hidden=3", "mlp.=3", "mlp=3.hidden"})
    EXPECT_THAT(refusal(flag("set", text)), HasSubstr("is not WORKLOAD.KEY=VALUE")) << text;
  EXPECT_THAT(refusal(flag("set", "mlp.hidden=1.5")), HasSubstr("does not have a whole number"));
  EXPECT_THAT(refusal({{"set", {{"mlp.ffn=1", "--set"}, {"mlp.ffn=2", "--set"}}}}),
              HasSubstr("a second time"));
}

TEST(Options, FlagsWinOverTheFileKeyByKey) {
  const RawOptions file = {{"batch", {{"1", "f:1"}}},
                           {"seed", {{"7", "f:2"}}},
                           {"set", {{"mlp.hidden=1", "f:3: set"}, {"mlp.ffn=2", "f:4: set"}}}};
  RawOptions flags = flag("batch", "2");
  flags.merge(flag("set", "mlp.hidden=9"));
  const SweepOptions options = check_options(merge(file, flags));
  EXPECT_THAT(options.axes.batch, ElementsAre(2));
  EXPECT_EQ(options.seed, 7);
  ASSERT_EQ(options.set.size(), 2u);
  EXPECT_EQ(options.set[0].key, "ffn");
  EXPECT_FALSE(options.set[0].from_flag);
  EXPECT_EQ(options.set[1].value, 9);
}

using Environment = std::map<std::string, std::string>;

Variables variables(const Environment& environment) {
  return [environment](const char* name) -> const char* {
    static std::string value;
    const auto found = environment.find(name);
    if (found == environment.end()) return nullptr;
    value = found->second;
    return value.c_str();
  };
}

std::string refusal(const std::string& text, const Environment& environment = {}) {
  return test::refusal([&] { return read_shard("--shard", text, variables(environment)); });
}

std::string shard(const Environment& environment) {
  const ShardOption read = read_shard("--shard", "auto", variables(environment));
  return std::to_string(read.index) + "/" + std::to_string(read.count);
}

Environment array(const std::string& id, const std::string& first, const std::string& last,
                  const std::string& count) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_MIN", first},
          {"SLURM_ARRAY_TASK_MAX", last},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

Environment operator+(Environment one, const Environment& other) {
  one.insert(other.begin(), other.end());
  return one;
}

TEST(Shard, IsANumberOfSeveral) {
  const ShardOption read = read_shard("--shard", "3/8", variables({}));
  EXPECT_EQ(read.index, 3);
  EXPECT_EQ(read.count, 8);
  for (const char* text : {"0/4", "5/4", "a/b", "3", "3/", "/4", "-1/4", "1/4/8", "", "1/100001"})
    EXPECT_THAT(refusal(text), HasSubstr("give I/N with I from 1 to N")) << text;
}

TEST(Shard, AutoCountsArraysFromZeroOrOne) {
  EXPECT_EQ(shard(array("0", "0", "7", "8")), "1/8");
  EXPECT_EQ(shard(array("8", "1", "8", "8")), "8/8");
  EXPECT_THAT(refusal("auto", array("3", "2", "9", "8")), HasSubstr("must begin at 0 or 1"));
  EXPECT_THAT(refusal("auto", array("3", "1", "9", "5")), HasSubstr("gaps"));
  EXPECT_THAT(refusal("auto", array("9", "1", "8", "8")), HasSubstr("is not among the array's ids, 1 to 8"));
}

TEST(Shard, AutoTakesTheNumberOfShardsFromItsOwnVariable) {
  const Environment shards = {{"GRAPHBENCH_SHARDS", "8"}};
  EXPECT_EQ(shard(array("5", "3", "5", "2") + shards), "5/8") << "a part of an array, submitted again";
  EXPECT_EQ(shard(array("0", "0", "2", "2") + shards), "1/8");
  EXPECT_EQ(shard(Environment{{"JOB_COMPLETION_INDEX", "0"}} + shards), "1/8");
  EXPECT_THAT(refusal("auto", Environment{{"JOB_COMPLETION_INDEX", "8"}} + shards), HasSubstr("is shard 9"));
  EXPECT_THAT(refusal("auto", {{"JOB_COMPLETION_INDEX", "0"}}), HasSubstr("set GRAPHBENCH_SHARDS"));
}

TEST(Shard, AutoMultipliesTasksByRanks) {
  const Environment step = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}};
  EXPECT_EQ(shard(step), "4/4");
  EXPECT_EQ(shard(array("2", "1", "2", "2") + step), "8/8");
  const Environment batch = {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}};
  EXPECT_EQ(shard(array("2", "1", "2", "2") + batch), "2/2") << "a batch script is not a step";
  const Environment mpi = {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "8"}};
  EXPECT_EQ(shard(step + mpi), "6/8") << "MPI's launcher ran below the step";
  EXPECT_EQ(shard({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), "1/1");
}

TEST(Shard, AutoRefusesWhatContradictsItself) {
  EXPECT_THAT(refusal("auto"), HasSubstr("no scheduler sets"));
  const Environment mpi = {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "8"}};
  EXPECT_THAT(refusal("auto", mpi + Environment{{"PMI_RANK", "1"}, {"PMI_SIZE", "8"}}),
              HasSubstr("contradict each other"));
  EXPECT_THAT(refusal("auto", array("1", "1", "2", "2") + Environment{{"JOB_COMPLETION_INDEX", "0"}}),
              HasSubstr("contradict each other"));
  EXPECT_THAT(refusal("auto", {{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}}), HasSubstr("not less than PMI_SIZE"));
  EXPECT_THAT(refusal("auto", array("x", "1", "2", "2")), HasSubstr("SLURM_ARRAY_TASK_ID is \"x\""));
}

}  // namespace
}  // namespace graphbench::options
