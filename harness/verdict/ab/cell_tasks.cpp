// Keeps the tasks' order: the schedule shuffles.
#include "harness/verdict/ab/cell_tasks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/model/digest.hpp"

namespace graphbench::ab {

model::Plan one_cell_a_task(model::Plan plan) {
  const auto is_ladder = [](const model::WorkerTask& task) { return task.batches.size() > 1; };
  if (std::ranges::none_of(plan.tasks, is_ladder)) return plan;
  std::vector<model::WorkerTask> tasks;
  for (const model::WorkerTask& ladder : plan.tasks) {
    for (const std::int64_t batch : ladder.batches) tasks.emplace_back(ladder).batches = {batch};
  }
  plan.tasks = std::move(tasks);
  plan.facts.cell_processes = true;
  plan.facts.hash = model::sha256_hex(plan.facts.hash + "\ncell-processes=true\n");
  return plan;
}

}  // namespace graphbench::ab
