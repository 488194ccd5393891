// The messages between the service and a sweep's process: requests on its stdin, and JSON lines from it on
// its descriptor 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::serve {

// The requested and the actual command line of `graphbench --sweep`, by their options. Documents keep the
// requested one, so those of equal requests are equal, and none says where the service keeps its files.
struct ServedSweep {
  std::vector<std::string> asked;
  std::vector<std::string> run;  // the same command line, with what the service adds
};

std::string encode_served_sweep(const ServedSweep& served);
// Throws Error(invalid_argument) for an invalid text.
ServedSweep decode_served_sweep(std::string_view text);

struct SweepBegan {
  std::string device;  // "cuda:0"
  model::DeviceFacts facts{};
  std::vector<std::int64_t> submitter;  // the CPUs that its submitting thread may be on
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
