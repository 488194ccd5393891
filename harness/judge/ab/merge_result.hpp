// Merges the launches of one side, which separate sweeps measured, into one result.
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

// What the merged result says of the whole run, which differs between sides only by `role`.
struct RunFacts {
  std::string interleaved_id;  // lets a comparison pair launches
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

  // Adds one sweep's result as the given launch. Throws Error(invalid_argument) for a result without the
  // cells of its task.
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
  // The launches' summaries, from which comes what needs all samples.
  std::map<std::string, std::vector<model::CellSummary>> summaries_;
};

}  // namespace graphbench::ab
