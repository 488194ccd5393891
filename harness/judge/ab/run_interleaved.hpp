// Measures two sides launch by launch, one right after the other, and makes a result document for each.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/judge/ab/sub_sweep.hpp"
#include "harness/judge/compare/looks.hpp"
#include "harness/model/plan.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::ab {

// A run that goes on until every metric is decided, the time is up, or the plan's launches are made. It is
// looked at after each of compare::planned_looks; decided groups stop.
struct UntilDecided {
  double seconds_max = 0;  // no pair of launches but the first two begins later
  model::ComparisonSettings settings;
};
// The most launches per side of such a run, which its plan has.
inline constexpr std::int64_t launches_until_decided = compare::planned_looks.back();

struct InterleavedRequest {
  model::Plan plan;  // of one side; its first launch's tasks are the groups
  config::RawOptions raw;
  config::SweepOptions options;
  Target base;
  Target now;
  std::optional<UntilDecided> until_decided;
  std::uint64_t seed = 1;  // of the order, and of the launches' data: launch i has seed + i on both sides
};

struct InterleavedOutcome {
  std::optional<model::Result> base;  // absent where nothing was measured
  std::optional<model::Result> now;
  bool interrupted = false;
  std::int64_t cells_failed = 0;  // over both sides
};

// A sweep that fails loses the cells of its group on that side. Throws InputError where a binary refuses the
// options, Error where this machine fails.
InterleavedOutcome run_interleaved(const InterleavedRequest& request, process::ProcessSupervisor& supervisor,
                                   sweep::SweepListener& progress);

}  // namespace graphbench::ab
