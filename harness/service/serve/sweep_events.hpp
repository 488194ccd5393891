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
// As sweep::SweepListener::cells_done tells them; of the samples, the first steps' latencies alone arrive.
struct SweepCells {
  std::vector<model::CellResult> cells;
  // Of what was measured: cells may stand in another run's document where this is the same.
  std::string identity = {};
};

using SweepEvent = std::variant<SweepBegan, SweepProgress, SweepCells>;

std::string encode_sweep_event(const SweepEvent& event);
// The SweepCells of one cell whose document is there already.
std::string encode_cell(const std::string& document, const std::string& identity);
// Throws Error(invalid_argument) for an invalid line.
SweepEvent decode_sweep_event(std::string_view line);

}  // namespace graphbench::serve
