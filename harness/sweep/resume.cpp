// Ladders by id, groups by where all of their ladders were measured.
#include "harness/sweep/resume.hpp"

#include <map>
#include <unordered_map>

#include "harness/model/axes.hpp"

namespace graphbench::sweep {
namespace {

std::string group_of(const model::WorkerTask& task) {
  return model::group_of(model::cell_of(task, task.batches.front()));
}

}  // namespace

std::string ladder_id(const model::WorkerTask& task) {
  return model::id_of(model::cell_of(task, task.batches.front())) + " launch " + std::to_string(task.launch);
}

Remainder remainder_of(const model::Plan& plan, const std::vector<FinishedLadder>& finished,
                       const model::MeasuredOn& here) {
  std::unordered_map<std::string, const FinishedLadder*> known;
  for (const FinishedLadder& ladder : finished) known[ladder.id] = &ladder;
  // Where a group was measured; null: not all of it at one place.
  std::map<std::string, const model::MeasuredOn*> places;
  std::vector<const FinishedLadder*> of_tasks;
  for (const model::WorkerTask& task : plan.tasks) {
    const auto found = known.find(ladder_id(task));
    const FinishedLadder* ladder = found == known.end() ? nullptr : found->second;
    of_tasks.push_back(ladder);
    const model::MeasuredOn* on = ladder == nullptr ? nullptr : &ladder->on;
    const auto [place, first] = places.emplace(group_of(task), on);
    if (!first && place->second != nullptr && (on == nullptr || *on != *place->second))
      place->second = nullptr;
  }
  Remainder remainder;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const model::WorkerTask& task = plan.tasks[i];
    const FinishedLadder* ladder = of_tasks[i];
    const bool taken = ladder != nullptr && (ladder->on == here || places[group_of(task)] != nullptr);
    if (taken) {
      remainder.taken_over.push_back({task, ladder});
    } else {
      remainder.tasks.push_back(task);
    }
  }
  return remainder;
}

}  // namespace graphbench::sweep
