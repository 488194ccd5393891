// The process that starts a worker for each rank of a task, watches them, and says why they ended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/plan.hpp"

namespace graphbench::ranks {

// What the process reads from stdin.
struct GroupTask {
  std::vector<std::string> command;  // starts a worker; one argument is the id of the worker's parent process
  double silent_seconds_max = 120;   // a sixth of it without any move of the ranks is a hang
  std::int64_t count = 1;
  model::WorkerTask task;
};
std::string encode_group(const GroupTask& group);

// Hands the events of rank 0 on, and an error of its own if a rank fails alone, crashes or hangs.
int group_main(std::string_view parent);

}  // namespace graphbench::ranks
