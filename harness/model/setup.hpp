// What it takes to make a cell's graphs, and until a worker is ready. Times are in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphbench::model {

// What opening a foreign step took, in stages that do not overlap.
struct Opening {
  std::optional<double> build_seconds;    // the library's model: eager needs it too
  std::optional<double> compile_seconds;  // compilation for this mode
  std::optional<double> record_seconds;   // recording in open, with warmups for it
  std::optional<double> open_seconds;     // everything else
};
inline constexpr std::optional<double> Opening::*opening_stages[] = {
    &Opening::build_seconds, &Opening::compile_seconds, &Opening::record_seconds, &Opening::open_seconds};
void add(Opening& sum, const Opening& more);

// A piece that a library compiled while a foreign step of this batch was opened. The others have code of a
// batch that was opened before.
struct CompiledPiece {
  std::int64_t part;  // from 0, as the step's parts are numbered
  double compile_seconds;
  std::string compiled_from;  // as Setup's
};

struct Setup {
  std::optional<double> prepare_seconds;  // time to look up or choose kernels and library plans
  double warmup_seconds;
  double capture_seconds;
  std::optional<double>
      break_seconds;  // between the captures of a foreign step, whose pieces and calls then run
  double instantiate_seconds;
  double upload_seconds;
  double first_step_seconds;
  Opening opening;
  std::string compiled_from;  // by the compiler's cache: "cold", "cache", "both"; empty: it has none
  std::vector<CompiledPiece> compiled_pieces;
};

// A worker's start-up in stages, over all batches of its first placement. The stages sum to the time from the
// worker's start to the end of the last batch's first step, without the ramps of other batches (see Launch).
struct Startup {
  // From the parent's call that starts the process until the worker has its task. Absent: no parent.
  std::optional<double> process_seconds;
  double plugin_seconds;   // to load plugins and build the program
  double module_seconds;   // to load the backend's module
  double context_seconds;  // to open device and stream, and set up the CPU, the monitor and the cache buffer
  double weights_seconds;  // to allocate and fill static buffers
  double prepare_seconds;  // this and all members below are sums over the batches' setups
  double warmup_seconds;
  double capture_seconds;
  std::optional<double> break_seconds;
  double instantiate_seconds;
  double upload_seconds;
  double first_step_seconds;
  Opening opening;  // as prepare_seconds
};

}  // namespace graphbench::model
