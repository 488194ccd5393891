// Tasks by id, groups by where all of their tasks were measured.
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

std::string task_id(const model::WorkerTask& task) {
  return model::id_of(model::cell_of(task, task.batches.front())) + " launch " + std::to_string(task.launch);
}

Remainder remainder_of(const model::Plan& plan, const std::vector<FinishedTask>& finished,
                       const model::MeasuredOn& here) {
  std::unordered_map<std::string, const FinishedTask*> known;
  for (const FinishedTask& each : finished) known[each.id] = &each;
  // Where a group was measured; null: not all of it at one place.
  std::map<std::string, const model::MeasuredOn*> places;
  std::vector<const FinishedTask*> of_tasks;
  for (const model::WorkerTask& task : plan.tasks) {
    const auto found = known.find(task_id(task));
    const FinishedTask* kept = found == known.end() ? nullptr : found->second;
    of_tasks.push_back(kept);
    const model::MeasuredOn* on = kept == nullptr ? nullptr : &kept->on;
    const auto [place, first] = places.emplace(group_of(task), on);
    if (!first && place->second != nullptr && (on == nullptr || *on != *place->second))
      place->second = nullptr;
  }
  Remainder remainder;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const model::WorkerTask& task = plan.tasks[i];
    const FinishedTask* kept = of_tasks[i];
    const bool taken = kept != nullptr && (kept->on == here || places[group_of(task)] != nullptr);
    if (taken) {
      remainder.taken_over.push_back({task, kept});
    } else {
      remainder.tasks.push_back(task);
    }
  }
  return remainder;
}

}  // namespace graphbench::sweep
