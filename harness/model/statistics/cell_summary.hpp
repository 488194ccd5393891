// Computes a cell's summary from its launches, and compares cells (gains.cpp) and floors (submit_floor.cpp).
// All functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

// Returns launch.within if it is set, else computes it from the launch's samples.
WithinLaunch within_launch(const Launch& launch);

// Readers of documents make summaries again with these functions, and refuse others
// (codec/check_summaries.hpp): a formula that changes must leave those of earlier documents to be read. Sets
// the summaries of all cells that are ok. Gains and break-even compare a cell with the eager cell of the same
// workload, preset, dtype, pass, batch and warmup.
void summarize_cells(std::vector<CellResult>& cells);
// The part that makes gains and break-even, from the medians that the summaries have. One centre for a gain,
// its interval and the break-even: the ratio of medians over launches.
void add_gains(std::vector<CellResult>& cells);

// Returns the breaks of a graph step: its eager parts, or one less than its pieces if these follow each
// other.
std::int64_t breaks_of(const CellResult& cell);

// Sets setup_once_seconds to the median over launches. All cells of a task get the same value.
void add_setups_once(std::vector<CellResult>& cells);

// Sets startup_seconds and its interval, from the processes' own stages (Launch::startup).
void add_startups(std::vector<CellResult>& cells);

// The minimum cost of submitting one step: a graph of one empty kernel per graph launch, and an empty kernel
// per eager op. The stream is idle for the first launch. Each other launch costs the smaller of its costs on
// an idle and on a busy stream. Absent without floors or counts.
std::optional<double> submit_floor(const Floors& floors, const CellResult& cell);

void add_submit_over_floor(const Floors& floors, std::vector<CellResult>& cells);

// Sets the share of each eager cell's latency in which the device is idle: from the cell's records, else from
// the device time of the `whole` cell that refers to it, whose graph leaves the device no gaps for launches.
// A foreign step on the host has none: its steps are bound by work that no events enclose.
void add_launch_bound(std::string_view device_kind, std::vector<CellResult>& cells);

}  // namespace graphbench::model
