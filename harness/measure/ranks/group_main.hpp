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
  model::WorkerTask task;
};
std::string encode_group(const GroupTask& group);

int group_main(std::string_view parent);

// Returns the innermost calls of the step in what Python's faulthandler writes of all threads: "all_reduce at
// step.py:31 < step at step.py:40". Empty: no thread is in the step.
std::string call_of(const std::string& stacks);

}  // namespace graphbench::ranks
