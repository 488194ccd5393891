// What an interrupted sweep leaves to be done. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::sweep {

// A task whose worker has reported every cell, none of them failed, as a journal keeps it.
struct FinishedTask {
  std::string id;  // task_id() of its task
  model::MeasuredOn on{};
  double worker_seconds = 0;
  std::vector<std::string> events = {};  // what the worker said of its cells, as it said it
};

// "mlp/tiny/fp32/forward/b1/w0/eager launch 2", by its first batch: no other task of a plan has the same.
std::string task_id(const model::WorkerTask& task);

struct TakenOver {
  model::WorkerTask task;
  const FinishedTask* kept;  // one of `finished`
};

struct Remainder {
  std::vector<TakenOver> taken_over;     // in the plan's order
  std::vector<model::WorkerTask> tasks;  // of the plan's, in their order
};

// `finished` outlives what is returned; of two with one id the later counts. Tasks that were measured on
// another device than `here` are taken over only with the whole of their group (model::group_of), because
// what is compared with each other is measured on one device.
Remainder remainder_of(const model::Plan& plan, const std::vector<FinishedTask>& finished,
                       const model::MeasuredOn& here);

}  // namespace graphbench::sweep
