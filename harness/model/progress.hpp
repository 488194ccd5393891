// The progress of a sweep as plain data, from the harness to the code that prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace graphbench::model {

// A snapshot. A cell with three launches counts three times in cells_done and cells_total.
struct Progress {
  std::int64_t cells_done = 0;
  std::int64_t cells_total = 0;
  std::int64_t tasks_done = 0;  // worker processes that ended
  std::int64_t tasks_total = 0;
  double elapsed_seconds = 0;
  std::optional<double> eta_seconds;  // absent until a worker has ended
  std::string worker;                 // "mlp bf16 whole w3"; empty between workers
  std::string phase;                  // the worker's last reported phase: "capture"
  std::int64_t batch = 0;             // batch of the phase; 0: all batches
  std::int64_t failures = 0;
};

}  // namespace graphbench::model
