// Makes ladders and rivals under one trace from a plan's tasks, and a result's ladders from their answers.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/ladder/serve.hpp"
#include "harness/ladder/traffic.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::ladder {

struct LadderRequest {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> engine_sizes;  // sizes of an engine's ladder; empty: no such rival
  model::LadderPolicy policy;
  std::optional<model::CaptureWhen> also_when = {};  // if set, a rival captures the same sizes at that time
  Trace trace;
  model::LadderTraffic traffic;  // its name and rate; the rest follows from the trace
  bool rivals = true;            // every step eager, and every size of the traffic captured
  bool suggests = false;         // eager is served even without rivals
};

// More sizes than these are not captured for a rival.
inline constexpr std::size_t every_sizes_max = 1024;

// One launch of one ladder.
struct PlannedLadder {
  model::Ladder ladder;  // without launches
  ServeTask task;
};
// Makes a ladder of `sizes` in a role, under the request's traffic and policy. `modes` has the mode of each
// size, for mode "best".
PlannedLadder planned(const model::WorkerTask& task, const LadderRequest& request, const std::string& role,
                      std::vector<std::int64_t> sizes, std::vector<std::string> modes = {});
// In the order of the plan's tasks, a ladder's rivals behind it; no ladder twice in a launch. The plan's
// batches do not matter.
std::vector<PlannedLadder> plan_ladders(const model::Plan& plan, const LadderRequest& request);
// Ladders whose every size has the mode that was fastest there.
std::vector<PlannedLadder> plan_best(const model::Plan& plan, const LadderRequest& request,
                                     const std::vector<model::BestModes>& best);

// Adds an answer to the ladder of the same id, or makes that ladder. A ladder has its launches' worst status.
void add_answer(std::vector<model::Ladder>& ladders, const PlannedLadder& planned, const ServeAnswer& answer);

// Fills in every `summary`.
void summarize(std::vector<model::Ladder>& ladders);

}  // namespace graphbench::ladder
