// Small plans of mlp on the host device, and the cells that a worker reports of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/model/axes.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::test {

inline model::WorkerTask sample_task(const std::string& mode, std::vector<std::int64_t> batches,
                                     std::int64_t launch = 0) {
  model::WorkerTask task;
  task.device = "host";
  task.workload = "mlp";
  task.preset = "tiny";
  task.dtype = "fp32";
  task.pass = "forward";
  task.mode = mode;
  task.batches = std::move(batches);
  task.launch = launch;
  return task;
}

// A plan of the tasks, whose cells are those of the tasks of launch 0, in the order of the tasks.
inline model::Plan sample_plan(std::vector<model::WorkerTask> tasks) {
  model::Plan plan;
  for (const model::WorkerTask& task : tasks) {
    if (task.launch > 0) continue;
    for (const std::int64_t batch : task.batches) plan.cells.push_back(model::cell_of(task, batch));
  }
  plan.tasks = std::move(tasks);
  return plan;
}

inline model::CellResult ok_cell(const model::WorkerTask& task, std::int64_t batch) {
  model::CellResult result{};
  result.cell = model::cell_of(task, batch);
  result.status = model::CellStatus::ok;
  result.launches.emplace_back();
  return result;
}

}  // namespace graphbench::test
