// Measures two sides launch by launch, one right after the other, and makes a result document for each.
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

namespace graphbench::ab {

// A run that goes on until every metric is decided, the time is up, or the plan's launches are made. It is
// looked at after each of compare::planned_looks; decided groups stop.
struct UntilDecided {
  double seconds_max = 0;  // the first two pairs of launches always run; later pairs begin before this time
  model::ComparisonSettings settings;
};
// The most launches per side of such a run, which its plan has.
inline constexpr std::int64_t launches_until_decided = compare::planned_looks.back();

struct InterleavedRequest {
  model::Plan plan;  // the plan of one side; the tasks of its first launch are the groups
  config::RawOptions raw;
  config::SweepOptions options;
  Target base;
  Target now;
  std::optional<UntilDecided> until_decided;
  // seed of the order, and of the launches' data: launch i has seed + i on both sides
  std::uint64_t seed = 1;
};

struct InterleavedOutcome {
  std::optional<model::Result> base;  // absent if nothing was measured
  std::optional<model::Result> now;
  bool interrupted = false;
  std::int64_t cells_failed = 0;  // over both sides
};

// A sweep that fails loses the cells of its group on that side. Throws InputError if a binary refuses the
// options, Error where this machine fails.
InterleavedOutcome run_interleaved(const InterleavedRequest& request, process::ProcessSupervisor& supervisor,
                                   sweep::SweepListener& progress);

// The facts about the whole run in a merged result, which differ between sides only by `role`.
struct RunFacts {
  std::string interleaved_id;  // lets a comparison pair launches
  std::string role;            // "base", "new"
  std::string started_at;
  std::string finished_at;
  bool complete = true;
  std::vector<std::int64_t> looks = {};  // the launches at which a run until decided was judged
};

// Merges launches as a sweep does. Summaries over launches are computed again; unknown fields are dropped.
class ResultMerge {
 public:
  explicit ResultMerge(const model::Plan& plan) : plan_(plan), table_(plan) {}

  // Adds a sweep's result as the given launch. Throws Error(invalid_argument) without its task's cells.
  void add(const model::Result& result, const model::WorkerTask& task, std::int64_t launch);
  // Says that a launch did not measure the task's cells.
  void fail(const model::WorkerTask& task, const model::Reason& reason);

  bool empty() const { return !first_; }  // nothing was added, so the environment is unknown
  std::int64_t cells_failed() const;
  model::Result result(const RunFacts& facts) const;

 private:
  model::Plan plan_;
  sweep::CellTable table_;
  std::optional<model::Result> first_;  // without its cells
  std::vector<model::Floors> floors_;   // every sweep's
  std::vector<model::LibraryChoice> choices_;
  // The summaries of single launches, for the figures that need all samples.
  std::map<std::string, std::vector<model::CellSummary>> summaries_;
};

}  // namespace graphbench::ab
