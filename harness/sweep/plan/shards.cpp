// Sums costs of cells to costs of groups, assigns groups to shards, and makes a digest of the assignment.
#include "harness/sweep/plan/shards.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "graphs/base/digest.hpp"
#include "graphs/base/text.hpp"
#include "harness/model/axes.hpp"

namespace graphbench::sweep {
namespace {

// A task takes about its worker's start plus its batches' sampling. On an H100 a task of nine batches
// takes 3.6 s, a task of one batch 0.7 s; on a quiet host with two cores both take three quarters of that.
constexpr double start_seconds = 0.4;
constexpr double batch_seconds = 0.2;

double estimate_of(const model::WorkerTask& task) {
  // Counts the sustained load twice, because a launch runs it in two placements.
  const double batch = batch_seconds + task.settings.sampling.seconds_max +
                       2 * task.settings.instruments.sustained_seconds.value_or(0);
  return start_seconds + static_cast<double>(task.batches.size()) * batch;
}

// The groups in the plan's order, with their costs.
struct Groups {
  std::vector<std::string> names;
  std::vector<double> costs;
  std::map<std::string, std::size_t> places;
};

Groups groups_of(const model::Plan& plan) {
  Groups groups;
  for (const model::Cell& cell : plan.cells) {
    const std::string name = model::group_of(cell);
    if (groups.places.emplace(name, groups.names.size()).second) groups.names.push_back(name);
  }
  groups.costs.resize(groups.names.size());
  return groups;
}

std::string balanced_by_costs(Groups& groups, const model::Plan& plan, const CellCosts& costs,
                              const std::string& where) {
  double known = 0;
  std::int64_t known_cells = 0;
  std::vector<std::int64_t> unknown(groups.names.size());
  for (const model::Cell& cell : plan.cells) {
    const std::size_t group = groups.places.at(model::group_of(cell));
    const auto found = costs.find(model::id_of(cell));
    if (found == costs.end()) {
      ++unknown[group];
    } else {
      known += found->second;
      ++known_cells;
      groups.costs[group] += found->second;
    }
  }
  if (known_cells == 0) {
    throw InputError(
        where,
        "the result has no launches[].worker_seconds for any cell of this plan: give a result of this "
        "plan, or leave --costs out");
  }
  for (std::size_t i = 0; i < unknown.size(); ++i)
    groups.costs[i] += static_cast<double>(unknown[i]) * known / static_cast<double>(known_cells);
  const auto all = static_cast<std::int64_t>(plan.cells.size());
  if (known_cells == all) return "balanced by --costs";
  return "balanced by --costs, in which " + std::to_string(all - known_cells) + " of " + std::to_string(all) +
         " cells have no time; each of these counts as the mean of the other cells";
}

std::string balanced_by_estimate(Groups& groups, const model::Plan& plan) {
  for (const model::WorkerTask& task : plan.tasks)
    groups.costs[groups.places.at(model::group_of(model::cell_of(task, 1)))] += estimate_of(task);
  return "balanced by an estimate, from sampling times and worker starts: --costs with an earlier result "
         "balances better";
}

std::string assignment_of(const model::Plan& plan, const options::SweepOptions& options,
                          const std::vector<std::size_t>& shard_of_group, const Groups& groups,
                          const std::string& digests) {
  std::vector<std::string> cells(static_cast<std::size_t>(options.shard->count));
  if (options.shard->replica) cells.resize(1);
  for (const model::Cell& cell : plan.cells) {
    const std::size_t shard =
        options.shard->replica ? 0 : shard_of_group[groups.places.at(model::group_of(cell))];
    cells[shard] += " " + model::id_of(cell);
  }
  std::string text = "graphbench.assignment/1\nplan=" + plan.facts.hash +
                     "\nlaunches=" + std::to_string(plan.facts.launches) +
                     "\nseed=" + std::to_string(plan.facts.seed) + "\n" + digests + "\n" +
                     std::to_string(options.shard->count) +
                     (options.shard->replica ? " replicas\n" : " shards\n");
  for (const std::string& each : cells) text += "shard" + each + "\n";
  return sha256_hex(text);
}

}  // namespace

std::vector<std::size_t> assign(const std::vector<double>& costs, std::size_t shards) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::set<std::pair<double, std::size_t>> loads;
  for (std::size_t i = 0; i < shards; ++i) loads.emplace(0, i);
  std::vector<std::size_t> assigned(costs.size());
  for (const std::size_t each : order) {
    const auto [load, shard] = *loads.begin();
    loads.erase(loads.begin());
    loads.emplace(load + costs[each], shard);
    assigned[each] = shard;
  }
  return assigned;
}

double estimated_seconds(const std::vector<model::WorkerTask>& tasks) {
  double seconds = 0;
  for (const model::WorkerTask& task : tasks) seconds += estimate_of(task);
  return seconds;
}

CellCosts costs_of(const model::Result& result) {
  CellCosts costs;
  for (const model::CellResult& cell : result.cells) {
    double sum = 0;
    double launches = 0;
    for (const model::Launch& launch : cell.launches) {
      if (!launch.worker_seconds) continue;
      sum += *launch.worker_seconds;
      ++launches;
    }
    if (launches > 0) costs[model::id_of(cell.cell)] = sum / launches;
  }
  return costs;
}

Shard shard_of(model::Plan plan, const options::SweepOptions& options, const CellCosts& costs,
               const std::string& digests) {
  const options::ShardOption& asked = *options.shard;
  Shard shard;
  Groups groups = groups_of(plan);
  std::vector<std::size_t> assigned;
  if (!asked.replica) {
    if (groups.names.size() < static_cast<std::size_t>(asked.count)) {
      throw InputError(options.where("shard"), std::to_string(asked.count) +
                                                   " shards are more than the plan can fill: the plan has " +
                                                   std::to_string(groups.names.size()) +
                                                   " groups (workload, preset, dtype, pass, warmup), which "
                                                   "are not divided: give at most that number of shards");
    }
    shard.said = asked.costs.empty() ? balanced_by_estimate(groups, plan)
                                     : balanced_by_costs(groups, plan, costs, options.where("costs"));
    assigned = assign(groups.costs, static_cast<std::size_t>(asked.count));
  }
  model::ShardFacts facts{asked.index, asked.count, asked.replica ? "replica" : "task",
                          assignment_of(plan, options, assigned, groups, digests)};
  if (plan.facts.axes.preset.size() > 1) {
    for (const model::Cell& cell : plan.cells) facts.presets[cell.workload] = cell.preset;
  }
  if (!asked.replica) {
    const auto elsewhere = [&](const model::Cell& cell) {
      return assigned[groups.places.at(model::group_of(cell))] != static_cast<std::size_t>(asked.index - 1);
    };
    std::erase_if(plan.cells, elsewhere);
    std::erase_if(plan.tasks, [&](const auto& task) { return elsewhere(model::cell_of(task, 1)); });
  }
  shard.plan = std::move(plan);
  shard.plan.facts.shard = std::move(facts);
  return shard;
}

}  // namespace graphbench::sweep
