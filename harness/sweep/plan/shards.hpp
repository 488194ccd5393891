// A plan divided into shards, one of which is kept. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"

namespace graphbench::plan {

// Longest first, each to the shard that has the least so far: the largest sum is at most 4/3 of the best
// possible (Graham 1969). Returns each cost's shard, from 0. Ties go to what stands first.
std::vector<std::size_t> assign(const std::vector<double>& costs, std::size_t shards);

// The estimated time of these tasks, one after the other. It balances shards, and is printed.
double estimated_seconds(const std::vector<model::WorkerTask>& tasks);

// Seconds of one launch of a cell, by id, as launches[].worker_seconds of a result have them.
using CellCosts = std::map<std::string, double>;
CellCosts costs_of(const model::Result& result);

struct Shard {
  model::Plan plan;  // its cells and tasks; plan.facts.shard says which it is
  std::string said;  // how it was balanced, one line; empty: there was nothing to balance
};

// Takes the shard of options.shard. Groups (model::group_of) are not divided. `costs`: none if no result was
// given. `digests`: of the binary and the plugins, for the assignment. Throws InputError if there are fewer
// groups than shards, or if `costs` knows no cell of the plan.
Shard shard_of(model::Plan plan, const config::SweepOptions& options, const CellCosts& costs,
               const std::string& digests);

}  // namespace graphbench::plan
