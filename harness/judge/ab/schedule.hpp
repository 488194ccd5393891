// The order of an A/B run: tasks or cells, launch by launch, then once more the cells that were slower. Also
// the slowdown that this machine can find, from a comparison of a binary with itself. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::ab {

// `plan` with a task of its own, which is a process of its own, for every batch of a task. Where a task had
// several the hash is another, because something else is measured: a cell that is alone in its process
// captures first, into an empty pool. A plan of single batches comes back as it was.
model::Plan one_cell_a_task(model::Plan plan);

enum class Role : std::uint8_t { base, now };

// One launch of one group of cells (those of one worker process) on one side.
struct Run {
  std::size_t group = 0;
  std::int64_t launch = 0;
  Role role = Role::base;
  friend bool operator==(const Run&, const Run&) = default;
};

struct ScheduleOptions {
  std::size_t groups = 1;
  std::int64_t launches = 1;  // per side
  std::uint64_t seed = 1;
};

// Makes the runs launch by launch, each with every group once, in a different order. A group's two sides run
// one right after the other, and the first alternates from launch to launch (ABBA, or BAAB, by a coin for
// each group), so that a slow drift affects both sides equally.
std::vector<Run> make_schedule(const ScheduleOptions& options);

// By group: true if a metric of its cells was tested and is neither slower, faster nor the same.
std::vector<bool> undecided_groups(const std::vector<model::WorkerTask>& groups,
                                   const model::Comparison& comparison);

// The plan's tasks whose cells have a metric that came out slower; whole tasks, because a cell's
// neighbours in its worker are part of how it was measured.
model::Plan plan_to_confirm(const model::Plan& plan, const model::Comparison& first);

// Keeps `slower` if `again` agrees, else makes it `inconclusive`, with both ratios, and updates the fields
// that depend on it.
void apply_confirmation(model::Comparison& first, const model::Comparison& again);

inline constexpr std::int64_t launches_max = 1000;

// The slowdown of one cell's latency, as a fraction, that this number of launches per side would find in nine
// cases of ten, in any cell, at the spreads that `itself` saw. Absent if no latency was tested, if there are
// fewer than two launches, or if it is more than tenfold.
std::optional<double> slowdown_found_by(std::int64_t launches, const model::Comparison& itself);

// The fewest launches per side that find `slowdown`; absent above launches_max.
std::optional<std::int64_t> launches_to_find(double slowdown, const model::Comparison& itself);

}  // namespace graphbench::ab
