// How far a sweep is, as plain data, from the harness to the printers of progress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace graphbench::model {

// A snapshot. A cell measured by three launches counts three times in `cells_*`.
struct Progress {
  std::int64_t cells_done = 0;
  std::int64_t cells_total = 0;
  std::int64_t tasks_done = 0;  // worker processes that ended
  std::int64_t tasks_total = 0;
  double elapsed_seconds = 0;
  std::optional<double> eta_seconds;  // absent until a worker has ended
  std::string worker;                 // "mlp bf16 whole w3"; empty between workers
  std::string phase;                  // the worker's last sign of life: "capture"
  std::int64_t batch = 0;             // the batch that the phase works on; 0: all batches
  std::int64_t failures = 0;          // cells that failed so far
};

}  // namespace graphbench::model
