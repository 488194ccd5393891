// A cell is finished when its last launch is in, so that one look at a task's cells decides for all its
// launches.
#include "harness/sweep/resume.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "harness/model/axes.hpp"

namespace graphbench::sweep {

Remainder remainder_of(const model::Plan& plan, const std::vector<model::CellResult>& finished) {
  std::map<std::string, const model::CellResult*> known;
  for (const model::CellResult& cell : finished) {
    const bool good = cell.status == model::CellStatus::ok || cell.status == model::CellStatus::skipped;
    if (good) known[model::id_of(cell.cell)] = &cell;
  }
  Remainder remainder;
  for (const model::WorkerTask& task : plan.tasks) {
    std::vector<std::string> ids;
    for (const std::int64_t batch : task.batches) {
      ids.push_back(model::id_of(model::cell_of(task, batch)));
    }
    if (!std::ranges::all_of(ids, [&](const std::string& id) { return known.contains(id); })) {
      remainder.tasks.push_back(task);
      continue;
    }
    if (task.launch > 0) continue;  // its cells were taken over with the first launch
    for (const std::string& id : ids) {
      remainder.taken_over.push_back(*known[id]);
      remainder.taken_over.back().resumed = true;
    }
  }
  return remainder;
}

}  // namespace graphbench::sweep
