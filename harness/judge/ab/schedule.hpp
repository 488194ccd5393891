// What an A/B run measures in which order: ladders or cells, launch by launch, and what came out slower once
// more. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::ab {

// `plan` with a task of its own, which is a process of its own, for every batch of a ladder. Where there was
// a ladder the hash is another, because something else is measured: a cell that is alone in its process
// captures first, into an empty pool. A plan of single batches comes back as it was.
model::Plan one_cell_a_task(model::Plan plan);

enum class Role : std::uint8_t { base, now };

// One launch of one group of cells (what a worker process covers) on one side.
struct Run {
  std::size_t group = 0;
  std::int64_t launch = 0;
  Role role = Role::base;
  friend bool operator==(const Run&, const Run&) = default;
};

struct ScheduleOptions {
  std::size_t groups = 1;
  std::int64_t launches = 1;  // a side
  std::uint64_t seed = 1;
};

// Launch after launch, and in each every group once, in an order of its own. A group's two sides run one
// right after the other, and who goes first alternates from launch to launch (ABBA, or BAAB, as a coin
// says for each group): whatever drifts slowly meets both sides alike.
std::vector<Run> make_schedule(const ScheduleOptions& options);

// By group, whether a metric of its cells is undecided: tested, and neither slower, faster nor the same.
std::vector<bool> undecided_groups(const std::vector<model::WorkerTask>& groups,
                                   const model::Comparison& comparison);

// The plan's tasks whose cells have a metric that came out slower; whole tasks, because a cell's
// neighbours in its worker are part of how it was measured.
model::Plan plan_to_confirm(const model::Plan& plan, const model::Comparison& first);

// `slower` stays where `again` says so too, and becomes `inconclusive`, with both ratios, where it does
// not. Counts, verdict and headline follow.
void apply_confirmation(model::Comparison& first, const model::Comparison& again);

}  // namespace graphbench::ab
