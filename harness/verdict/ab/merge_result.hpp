// The launches of one side, measured by sweeps of their own, as one result document.
#pragma once

#include <memory>
#include <string>

#include "harness/model/plan.hpp"

namespace graphbench::ab {

// What the merged document says of the whole run; both sides say the same but for `role`.
struct RunFacts {
  std::string interleaved_id;  // what lets a comparison pair launch with launch
  std::string role;            // "base", "new"
  std::string started_at;
  std::string finished_at;
  bool complete = true;
};

// Works on the JSON itself: what a newer or older version's launches say beyond what this one knows
// stays. Summaries over launches are computed anew, as a sweep of several launches does.
class ResultMerge {
 public:
  explicit ResultMerge(const model::Plan& plan);
  ~ResultMerge();
  ResultMerge(ResultMerge&&) noexcept;
  ResultMerge& operator=(ResultMerge&&) noexcept;

  // One sweep's document, as the given launch. Throws Error(invalid_argument) for a document without
  // the cells of its task.
  void add(const std::string& document, const model::WorkerTask& task, std::int64_t launch);
  // The task's cells were not measured in a launch that should have.
  void fail(const model::WorkerTask& task, const model::Reason& reason);

  bool empty() const;  // nothing was added yet: there is no environment to speak of
  std::int64_t cells_failed() const;
  std::string document(const RunFacts& facts) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::ab
