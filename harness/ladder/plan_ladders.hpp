// Plans ladders and rivals under one trace for a plan's tasks, and adds the answers of ladder processes to
// them. No function does I/O.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/ladder/serve.hpp"
#include "harness/ladder/traffic.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::ladder {

struct ClosedRequest {
  Traffic traffic;                        // with requests
  std::optional<std::int64_t> most = {};  // absent: the largest size that was measured
  // the time of a prefill, or a workload whose step at the smallest batch is one; "": decode only
  std::optional<double> prefill_seconds = {};
  std::string prefill_workload = {};
  std::int64_t steps = 0;
  std::uint64_t seed = 1;
};

struct LadderRequest {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> engine_sizes;  // sizes of the engine rival; empty: there is none
  LadderPolicy policy;
  std::optional<CaptureWhen> also_when = {};  // if set, a rival captures the same sizes at this time
  Trace trace;
  LadderTraffic traffic;  // has name, rate and modes; planned() fills in the others, from the trace
  bool rivals = true;     // also measures two rivals: every step eager, and every size captured
  std::optional<ClosedRequest> closed = {};  // then the trace only measures what steps take
  bool suggests = false;                     // measures the eager rival even if `rivals` is false
};

// With more sizes in the traffic than this, no rival captures every size.
inline constexpr std::size_t every_sizes_max = 1024;

// One launch of one ladder.
struct PlannedLadder {
  Ladder ladder;  // without launches
  ServeTask task;
};
// Plans one launch of a ladder in this role, under the request's traffic and policy. Only the roles
// "asked" and "lazy" may capture lazily. `modes`: each size's mode in mode "best", else empty.
PlannedLadder planned(const model::WorkerTask& task, const LadderRequest& request, const std::string& role,
                      std::vector<std::int64_t> sizes, std::vector<std::string> modes = {});
// Plans a ladder for each task of the plan, which has a task per launch, and the ladder's rivals after it.
// Ignores the plan's batches.
std::vector<PlannedLadder> plan_ladders(const model::Plan& plan, const LadderRequest& request);
std::vector<PlannedLadder> plan_best(const model::Plan& plan, const LadderRequest& request,
                                     const std::vector<BestModes>& best);

// The estimated time in seconds of these launches, run one after the other.
double estimated_seconds(const std::vector<PlannedLadder>& ladders);

// Adds an answer to the ladder with the planned id, or appends that ladder. Keeps the worst launch's status.
void add_answer(std::vector<Ladder>& ladders, const PlannedLadder& planned, const ServeAnswer& answer);

void summarize(std::vector<Ladder>& ladders);

}  // namespace graphbench::ladder
