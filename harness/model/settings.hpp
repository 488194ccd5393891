// The values of the options that reach a worker, as plain data. One object of them serves the checked
// options, the plan and the worker's task; option_table.cpp has a row for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::model {

// The default of --time-per-cell for foreign steps, whose processes start for seconds.
inline constexpr double foreign_seconds_per_cell = 1.0;

struct SamplingBounds {
  double seconds_max = 0.15;        // --time-per-cell, for all passes together
  std::int64_t samples_max = 2000;  // --samples-max, for each pass
};

// How steps use their caller's memory (axis `io`). A text is the value of the option with the member's name,
// or of the option that the comment names.
struct CallerOptions {
  std::string addresses = "rotate";  // --io-addresses
  std::string mutated_inputs = "refuse";
  std::string on_skip = "record";
  std::string capture_stream = "own";
  bool check_addresses = false;
  std::vector<std::int64_t> tune_sizes;  // --tune-sizes; empty: each size has its own library choices
  std::string dump_graph;                // an absolute path; empty: no dump
};
// Whether batches of this size have their own library choices.
bool is_tuned(const CallerOptions& options, std::int64_t size);

// The files of a package, which has programs compiled ahead of time. If `file` is empty, the workload builds
// its programs.
struct PackageFiles {
  std::string file;  // --package, an absolute path
  std::string weights;
  std::string digest;  // of `file`
  bool low_memory = false;
};

// The option of a workload that sets the sequence length of its steps.
inline constexpr const char* sequence_option = "tokens";

struct ShapeStep {
  std::int64_t batch = 1;
  std::optional<std::int64_t> sequence = {};  // absent: the workload's default
  std::int64_t line = 0;                      // from 1
};
struct ShapeTrace {
  std::string file;
  std::int64_t programs_max = 8;     // --shape-programs
  std::vector<ShapeStep> steps;      // empty: no --shape-trace
  std::int64_t recordings_max = 64;  // --shape-recordings
};

struct InstrumentOptions {
  bool pin = true;                  // keeps the submitting thread on one CPU
  std::optional<std::int64_t> cpu;  // absent: the worker chooses the CPU
  bool cold_l2 = false;
  std::optional<double> sustained_seconds = {};  // maximum wait for steady load; absent: no pass under load
  bool profile = false;
  bool trace = false;
  std::optional<SubmitterCpus> submitter;  // chosen before the worker starts; absent: the worker chooses
  bool evaluate = false;  // after training, also runs the forward program with the trained parameters
  ShapeTrace shape_trace = {};
};

struct Settings {
  std::int64_t seed = 1;
  SamplingBounds sampling;
  std::vector<std::string> plugins;    // absolute paths of files that exist
  std::vector<std::string> split_ops;  // empty: the workload's default
  CallerOptions caller;
  PackageFiles package;
  InstrumentOptions instruments;
};

}  // namespace graphbench::model
