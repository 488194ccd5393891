// Measures two sides launch by launch, in adjacent runs. Makes one result document per side.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/ab/sub_sweep.hpp"
#include "harness/judge/compare/judge.hpp"
#include "harness/model/instruments.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"
#include "harness/options/options.hpp"
#include "harness/sweep/cell_table.hpp"
#include "harness/sweep/sweep_listener.hpp"

namespace graphbench::judge {

// Settings of `ab --until-decided`. The run ends when every metric is decided, the time is up, or the plan
// is done. At each of planned_looks, the run compares its sides and stops decided groups.
struct UntilDecided {
  double seconds_max = 0;  // two pairs of launches always run; no later pair begins after this time
  model::ComparisonSettings settings;
};
// The most launches per side with --until-decided, and the number of launches in its plan.
inline constexpr std::int64_t launches_until_decided = planned_looks.back();

struct InterleavedRequest {
  model::Plan plan;  // the plan of one side; the tasks of its first launch are the groups
  options::RawOptions raw;
  options::SweepOptions options;
  Target base;
  Target now;
  std::optional<UntilDecided> until_decided;
  // seed of the order of the runs, and of the data: launch i uses seed + i on both sides
  std::uint64_t seed = 1;
};

struct InterleavedOutcome {
  std::optional<model::Result> base;  // absent if nothing was measured
  std::optional<model::Result> now;
  bool interrupted = false;
  std::int64_t cells_failed = 0;  // over both sides
};

// Measures both sides. If a sweep fails, its cells fail in the result of its side. Throws InputError if a
// binary refuses the options or writes no result document, and Error if the temporary folder or a process
// cannot be made.
InterleavedOutcome run_interleaved(const InterleavedRequest& request, process::ProcessSupervisor& supervisor,
                                   sweep::SweepListener& progress);

// Merges single launches into one result, as a sweep does, and computes the summaries over all launches.
class ResultMerge {
 public:
  explicit ResultMerge(const model::Plan& plan) : plan_(plan), table_(plan) {}

  // Adds a sweep's `result` as launch `launch`. Throws Error(invalid_argument) if it lacks a cell of `task`.
  void add(const model::Result& result, const model::WorkerTask& task, std::int64_t launch);
  void fail(const model::WorkerTask& task, const model::Reason& reason);

  bool empty() const { return !first_; }  // true: no sweep wrote a result, so the environment is not known
  std::int64_t cells_failed() const;
  // Leaves started_at and finished_at to the caller.
  model::Result result(const model::Interleaved& side, bool complete) const;

 private:
  model::Plan plan_;
  sweep::CellTable table_;
  std::optional<model::Result> first_;  // without its cells
  std::vector<model::Floors> floors_;   // one per sweep
  std::vector<model::LibraryChoice> choices_;
  // The summaries of single launches by cell id, for figures that need all samples of a launch.
  std::map<std::string, std::vector<model::CellSummary>> summaries_;
};

}  // namespace graphbench::judge
