// The launches of one side, measured by sweeps of their own, as one result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/instruments.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"
#include "harness/sweep/cell_table.hpp"

namespace graphbench::ab {

// What the merged result says of the whole run; both sides say the same but for `role`.
struct RunFacts {
  std::string interleaved_id;  // what lets a comparison pair launch with launch
  std::string role;            // "base", "new"
  std::string started_at;
  std::string finished_at;
  bool complete = true;
  std::vector<std::int64_t> looks = {};  // of a run until decided
};

// Merges launches as a sweep does. Summaries over launches are computed again; fields that this version does
// not know are not kept.
class ResultMerge {
 public:
  explicit ResultMerge(const model::Plan& plan) : plan_(plan), table_(plan) {}

  // One sweep's result, as the given launch. Throws Error(invalid_argument) for a result without the cells
  // of its task.
  void add(const model::Result& result, const model::WorkerTask& task, std::int64_t launch);
  // The task's cells were not measured in a launch that should have.
  void fail(const model::WorkerTask& task, const model::Reason& reason);

  bool empty() const { return !first_; }  // nothing was added yet: there is no environment to name
  std::int64_t cells_failed() const;
  model::Result result(const RunFacts& facts) const;

 private:
  model::Plan plan_;
  sweep::CellTable table_;
  std::optional<model::Result> first_;  // without its cells
  std::vector<model::Floors> floors_;   // of every sweep
  std::vector<model::LibraryChoice> choices_;
  // The launches' own summaries: what needs all samples comes from them.
  std::map<std::string, std::vector<model::CellSummary>> summaries_;
};

}  // namespace graphbench::ab
