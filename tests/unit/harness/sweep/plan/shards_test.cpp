// Tests which shard gets which cells of a plan, and that each cell is in exactly one shard.
#include "harness/sweep/plan/shards.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "harness/model/axes.hpp"
#include "harness/sweep/plan/make_plan.hpp"
#include "tests/support/refusal.hpp"
#include "tests/unit/harness/sweep/plan/sample_catalog.hpp"

namespace graphbench::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

options::SweepOptions options(const std::string& shard, const std::map<std::string, std::string>& more = {}) {
  options::RawOptions raw;
  raw["warmup"] = {{"0,1,2,3", "--warmup"}};
  raw["batch"] = {{"1,2", "--batch"}};
  raw["launches"] = {{"2", "--launches"}};
  raw["shard"] = {{shard, "--shard"}};
  for (const auto& [name, text] : more) raw[name] = {{text, "--" + name}};
  return options::check_options(raw);
}

Shard sharded(const options::SweepOptions& options, const CellCosts& costs = {},
              const std::string& digests = "binary") {
  return shard_of(make_plan(options, sample_catalog(), {}), options, costs, digests);
}

std::vector<std::string> ids_of(const model::Plan& plan) {
  std::vector<std::string> result;
  for (const model::Cell& cell : plan.cells) result.push_back(model::id_of(cell));
  return result;
}

TEST(Shards, LongestGroupsAreAssignedFirst) {
  EXPECT_THAT(assign({1, 5, 4, 3}, 2), ElementsAre(0, 0, 1, 1)) << "5 1 | 4 3";
  EXPECT_THAT(assign({1, 1, 1}, 3), ElementsAre(0, 1, 2));
}

TEST(Shards, TogetherAreThePlan) {
  const model::Plan plan = make_plan(options("1/3"), sample_catalog(), {});
  std::vector<std::string> all;
  std::size_t tasks = 0;
  std::set<std::string> groups;
  std::set<std::string> assignments;
  for (const std::string index : {"1", "2", "3"}) {
    const model::Plan part = sharded(options(index + "/3")).plan;
    for (const std::string& id : ids_of(part)) all.push_back(id);
    tasks += part.tasks.size();
    std::set<std::string> own;
    for (const model::Cell& cell : part.cells) own.insert(model::group_of(cell));
    for (const std::string& group : own) EXPECT_TRUE(groups.insert(group).second) << group << " is divided";
    for (const model::WorkerTask& task : part.tasks)
      EXPECT_TRUE(own.contains(model::group_of(model::cell_of(task, 1))));
    assignments.insert(part.facts.shard->assignment);
    EXPECT_EQ(part.facts.shard->by, "task");
    EXPECT_EQ(part.facts.hash, plan.facts.hash);
  }
  std::vector<std::string> whole = ids_of(plan);
  std::ranges::sort(all);
  std::ranges::sort(whole);
  EXPECT_EQ(all, whole);
  EXPECT_EQ(tasks, plan.tasks.size());
  EXPECT_EQ(assignments.size(), 1u);
}

TEST(Shards, AreWithinAFewPercentOfEachOtherWhereCostsAreKnown) {
  const model::Plan plan = make_plan(options("1/8", {{"warmup", "0:15:+1"}}), sample_catalog(), {});
  CellCosts costs;
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    costs[model::id_of(plan.cells[i])] = 1 + static_cast<double>(i * 7919 % 13);
  std::vector<double> sums;
  for (int i = 1; i <= 8; ++i) {
    const options::SweepOptions asked =
        options(std::to_string(i) + "/8", {{"warmup", "0:15:+1"}, {"costs", "old.json"}});
    double sum = 0;
    for (const std::string& id : ids_of(sharded(asked, costs).plan)) sum += costs.at(id);
    sums.push_back(sum);
  }
  const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / 8;
  EXPECT_LE(std::ranges::max(sums), 1.15 * mean) << "four groups a shard";
}

TEST(Shards, SayHowTheyWereBalanced) {
  EXPECT_THAT(sharded(options("1/3")).said, HasSubstr("balanced by an estimate"));
  const options::SweepOptions asked = options("1/3", {{"costs", "old.json"}});
  const model::Plan plan = make_plan(asked, sample_catalog(), {});
  CellCosts costs = {{model::id_of(plan.cells.front()), 2.0}};
  EXPECT_THAT(sharded(asked, costs).said, HasSubstr("have no time"));
  EXPECT_THAT(test::refusal([&] {
                return sharded(asked, {{"another/cell", 1.0}});
              }),
              HasSubstr("worker_seconds"));
}

TEST(Shards, NeedAGroupEach) {
  EXPECT_THAT(test::refusal([&] { return sharded(options("1/9")); }), HasSubstr("the plan has 8 groups"));
  EXPECT_EQ(sharded(options("8/8")).plan.cells.size(), 6u);
}

TEST(Shards, ReplicasAreTheWholePlan) {
  const Shard replica = sharded(options("2/9", {{"shard-by", "replica"}}));
  EXPECT_EQ(replica.plan.cells.size(), 48u);
  EXPECT_EQ(replica.plan.facts.shard->by, "replica");
  EXPECT_EQ(replica.said, "");
}

TEST(Shards, AreAssignedOtherwiseByAnotherBinarySeedOrNumber) {
  const auto assignment = [](const options::SweepOptions& asked, const std::string& digests = "binary") {
    return sharded(asked, {}, digests).plan.facts.shard->assignment;
  };
  const std::string first = assignment(options("1/3"));
  EXPECT_EQ(first, assignment(options("2/3")));
  EXPECT_NE(first, assignment(options("1/3"), "another"));
  EXPECT_NE(first, assignment(options("1/3", {{"seed", "2"}})));
  EXPECT_NE(first, assignment(options("1/3", {{"launches", "3"}})));
  EXPECT_NE(first, assignment(options("1/4")));
}

TEST(Shards, CostsAreTheMeanOverLaunches) {
  model::Result result;
  model::CellResult& cell = result.cells.emplace_back();
  cell.cell.workload = "mlp";
  for (const double seconds : {2.0, 4.0}) cell.launches.emplace_back().worker_seconds = seconds;
  result.cells.emplace_back().launches.emplace_back();
  const CellCosts costs = costs_of(result);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs.begin()->second, 3.0);
}

}  // namespace
}  // namespace graphbench::sweep
