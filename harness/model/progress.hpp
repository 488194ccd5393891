// How far a sweep has come, as plain data: the harness fills it in between workers' events, reporters
// show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace graphbench::model {

struct Progress {
  std::int64_t cells_done = 0;  // finished in all their launches: ok, failed or skipped
  std::int64_t cells_total = 0;
  std::int64_t tasks_done = 0;  // worker processes that ended
  std::int64_t tasks_total = 0;
  double elapsed_seconds = 0;         // since the sweep began, by a steady clock
  std::optional<double> eta_seconds;  // absent until there is something to estimate from
  std::string worker;                 // what is running: "mlp/base/bf16/forward/w3/whole"
  std::string phase;                  // "prepare", "warmup", "capture", "measure", "check", "memory"
  std::int64_t batch = 0;             // 0: no batch yet
  std::int64_t failures = 0;          // cells that failed so far
};

}  // namespace graphbench::model
