// Which shard a process is: as it is written, and as the variables of schedulers say.
#include <gmock/gmock.h>

#include <map>

#include "harness/options/options.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::config {
namespace {

using testing::HasSubstr;
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
  EXPECT_THAT(refusal("auto", array("3", "2", "9", "8")), HasSubstr("do not begin at 0 or 1"));
  EXPECT_THAT(refusal("auto", array("3", "1", "9", "5")), HasSubstr("gaps"));
  EXPECT_THAT(refusal("auto", array("9", "1", "8", "8")), HasSubstr("contradicts ids from 1 to 8"));
}

TEST(Shard, AutoTakesTheNumberOfShardsFromItsOwnVariable) {
  const Environment shards = {{"GRAPHBENCH_SHARDS", "8"}};
  EXPECT_EQ(shard(array("5", "3", "5", "2") + shards), "5/8") << "a part of an array, submitted again";
  EXPECT_EQ(shard(array("0", "0", "2", "2") + shards), "1/8");
  EXPECT_EQ(shard(Environment{{"JOB_COMPLETION_INDEX", "0"}} + shards), "1/8");
  EXPECT_THAT(refusal("auto", Environment{{"JOB_COMPLETION_INDEX", "8"}} + shards), HasSubstr("place 9"));
  EXPECT_THAT(refusal("auto", {{"JOB_COMPLETION_INDEX", "0"}}), HasSubstr("set GRAPHBENCH_SHARDS"));
}

TEST(Shard, AutoMultipliesTasksByRanks) {
  const Environment step = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}};
  EXPECT_EQ(shard(step), "4/4");
  EXPECT_EQ(shard(array("2", "1", "2", "2") + step), "8/8");
  const Environment batch = {{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}};
  EXPECT_EQ(shard(array("2", "1", "2", "2") + batch), "2/2") << "a batch script is no step";
  const Environment mpi = {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "8"}};
  EXPECT_EQ(shard(step + mpi), "6/8") << "MPI's launcher ran below the step";
  EXPECT_EQ(shard({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), "1/1");
}

TEST(Shard, AutoRefusesWhatContradictsItself) {
  EXPECT_THAT(refusal("auto"), HasSubstr("no scheduler says"));
  const Environment mpi = {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "8"}};
  EXPECT_THAT(refusal("auto", mpi + Environment{{"PMI_RANK", "1"}, {"PMI_SIZE", "8"}}),
              HasSubstr("contradict each other"));
  EXPECT_THAT(refusal("auto", array("1", "1", "2", "2") + Environment{{"JOB_COMPLETION_INDEX", "0"}}),
              HasSubstr("contradict each other"));
  EXPECT_THAT(refusal("auto", {{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}}), HasSubstr("not below PMI_SIZE"));
  EXPECT_THAT(refusal("auto", array("x", "1", "2", "2")), HasSubstr("SLURM_ARRAY_TASK_ID is \"x\""));
}

}  // namespace
}  // namespace graphbench::config
