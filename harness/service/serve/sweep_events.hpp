// The messages between the service and a sweep's process. The process reads a ServedSweep from stdin, and
// writes events as JSON lines on file descriptor 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/model/progress.hpp"
#include "harness/model/result.hpp"

namespace graphbench::service {

// Two command lines of `graphbench --sweep`, as lists of options. Documents contain `asked`, so that equal
// requests give equal documents, and no document reveals where the service keeps its files.
struct ServedSweep {
  std::vector<std::string> asked;
  std::vector<std::string> run;  // with the service's additions
};

std::string encode_served_sweep(const ServedSweep& served);
// Throws Error(invalid_argument) for an invalid text.
ServedSweep decode_served_sweep(std::string_view text);

struct SweepBegan {
  std::string device;
  model::DeviceFacts facts{};
  std::vector<std::int64_t> submitter;  // the CPUs that the sweep's submitting thread may use
  std::string plan = {};                // the plan's hash; empty from an older graphbench
};
struct SweepProgress {
  model::Progress progress;
};
// The cells of sweep::SweepListener::cells_done. Their samples are only the first steps' latencies.
struct SweepCells {
  std::vector<model::CellResult> cells;
};

using SweepEvent = std::variant<SweepBegan, SweepProgress, SweepCells>;

std::string encode_sweep_event(const SweepEvent& event);
// Throws Error(invalid_argument) for an invalid line.
SweepEvent decode_sweep_event(std::string_view line);

}  // namespace graphbench::service
