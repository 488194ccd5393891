// Divides a plan into shards, and keeps one of them. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"

namespace graphbench::sweep {

// result[i] is the number (from 0) of the shard that gets costs[i]. Assigns the largest costs first, each to
// the first shard among those with the smallest sum. The largest sum is at most 4/3 of the optimum (Graham
// 1969).
std::vector<std::size_t> assign(const std::vector<double>& costs, std::size_t shards);

// The estimated time in seconds of these tasks, run one after the other, to print and to balance shards.
double estimated_seconds(const std::vector<model::WorkerTask>& tasks);

// The mean of launches[].worker_seconds in a result, by the cell's id.
using CellCosts = std::map<std::string, double>;
CellCosts costs_of(const model::Result& result);

struct Shard {
  model::Plan plan;  // the shard's cells and tasks; its number is in plan.facts.shard
  std::string said;  // one line on how shards were balanced; empty for a replica
};

// Returns the shard that options.shard names. Does not divide groups (model::group_of). Uses `costs` only
// with --costs. `digests` (binary and plugins) become part of the assignment's digest. Throws InputError if
// there are fewer groups than shards or, with --costs, if `costs` has no cell of the plan.
Shard shard_of(model::Plan plan, const options::SweepOptions& options, const CellCosts& costs,
               const std::string& digests);

}  // namespace graphbench::sweep
