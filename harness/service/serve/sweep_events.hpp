// What a sweep's process tells the service while it runs: JSON lines on its descriptor 3.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::serve {

struct SweepBegan {
  std::string device;  // "cuda:0"
  model::DeviceFacts facts;
};
struct SweepProgress {
  model::Progress progress;
};
// The cells of sweep::SweepListener::cells_done, with no samples but the first steps' latencies.
struct SweepCells {
  std::vector<model::CellResult> cells;
};

using SweepEvent = std::variant<SweepBegan, SweepProgress, SweepCells>;

std::string encode_sweep_event(const SweepEvent& event);
// Throws Error(invalid_argument) for an invalid line.
SweepEvent decode_sweep_event(std::string_view line);

}  // namespace graphbench::serve
