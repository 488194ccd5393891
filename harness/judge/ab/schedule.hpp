// Pure functions that order the runs of `ab`: launch by launch, then (--confirm) the tasks with a slower
// cell. From a comparison of a binary with itself, they compute the slowdown that this machine can find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/comparison.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::judge {

// Splits every task into one task per batch, so each batch has its own process. If a task is split, the
// plan's hash changes too, because the measurement changes: each cell then captures into an empty pool.
model::Plan one_cell_a_task(model::Plan plan);

enum class Role : std::uint8_t { base, now };

// One launch of one group on one side. A group has the cells that one worker process measures.
struct Run {
  std::size_t group = 0;
  std::int64_t launch = 0;
  Role role = Role::base;
  friend bool operator==(const Run&, const Run&) = default;
};

// Orders the runs launch by launch, with `launches` per side. A launch has every group once, in random order,
// and a group runs its two sides back to back. The first side is random per group in launch 0, and alternates
// from launch to launch (ABBA or BAAB), so that drift affects both sides equally.
std::vector<Run> make_schedule(std::size_t groups, std::int64_t launches, std::uint64_t seed);

// Returns one value per group: true if a tested metric of one of its cells is inconclusive.
std::vector<bool> undecided_groups(const std::vector<model::WorkerTask>& groups,
                                   const model::Comparison& comparison);

// Returns the plan with only the tasks in which a cell's metric, or the mean of the task's mode, is slower.
// Tasks keep all cells, because the other cells of a worker influence a cell's measurement.
model::Plan plan_to_confirm(const model::Plan& plan, const model::Comparison& first);

// Keeps a verdict `slower` in `first` if the same metric is slower in `again`. Otherwise sets `inconclusive`,
// and writes the reason. Updates the counts, the verdict and the headline of `first`.
void apply_confirmation(model::Comparison& first, const model::Comparison& again);

inline constexpr std::int64_t launches_max = 1000;

// The result of slowdown_found() if each side had `launches`, with the spreads of `itself`. Absent
// for fewer than two launches, without a tested latency, or above model::slowdown_max.
std::optional<double> slowdown_found_by(std::int64_t launches, const model::Comparison& itself);

// The fewest launches per side that would find `slowdown`; absent if launches_max are too few.
std::optional<std::int64_t> launches_to_find(double slowdown, const model::Comparison& itself);

}  // namespace graphbench::judge
