// A sweep's result as plain data: the harness fills in these structs, and every reporter reads them. They
// mirror the result document `graphbench.result/1`. Times are in seconds, memory in bytes.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/facts/device.hpp"
#include "graphs/base/facts/graph.hpp"
#include "graphs/base/facts/training.hpp"
#include "harness/model/instruments.hpp"
#include "harness/model/setup.hpp"

namespace graphbench::model {

using facts::CacheUse;
using facts::DeviceFacts;
using facts::GraphCounts;
using facts::Io;
using facts::LibraryChoice;
using facts::Reason;
// Returns the text of `error`, with the code of an Error, or "internal" for an exception of another type.
Reason reason_of(const std::exception& error);

struct Cell {
  std::string workload;
  std::string preset;
  std::string dtype;
  std::string pass;
  std::int64_t batch = 0;
  std::int64_t warmup = 0;
  std::string mode;
  // The values of later axes (axes.hpp) by name. An axis at its default is not in the map.
  std::map<std::string, std::string> more_axes = {};
  friend bool operator==(const Cell&, const Cell&) = default;
};

// Returns "mlp/base/bf16/forward/b8/w3/whole", with "/NAME=VALUE" for each later axis not at its default.
std::string id_of(const Cell& cell);

// Order statistics of one launch's samples. p50 is the median, or the geometric mean of the placements'
// medians (see Launch). Higher percentiles are nearest ranks of all samples. p90 needs 44 samples, p99 needs
// 459, and p99.9 needs 4,603. Then at least one sample lies above the quantile with 99 % confidence.
struct Summary {
  std::int64_t count;
  double min;
  double p50;
  std::optional<double> p90;
  std::optional<double> p99;
  std::optional<double> p999;
  // The distribution-free confidence interval of p50. With several placements: the geometric means of the
  // placements' bounds, valid only for these placements. Absent if a placement has fewer than six samples.
  std::optional<double> p50_ci95_low;
  std::optional<double> p50_ci95_high;
  double max;
  double mean;
  std::optional<double> stddev;  // needs two samples
};

// One placement of a launch: the numbers of samples, and the medians of the samples.
struct LaunchPlacement {
  std::int64_t latency_samples;  // also the number of submit samples
  std::int64_t device_samples;
  std::optional<double> submit_seconds;
  std::optional<double> latency_seconds;
  std::optional<double> device_seconds;
  std::optional<double> throughput_steps_per_second;
};

// A cell under load (`--sustained`): steps run back to back until clock and power are steady, and the steps
// after that are timed without a pause. Times and seconds_to_steady are absent if no steady state is reached.
struct Sustained {
  std::optional<Summary> latency_seconds;
  std::optional<Summary> device_seconds;
  // Means of the last two seconds before the samples.
  std::optional<double> sm_clock_hz;
  std::optional<double> power_watts;
  std::optional<double> seconds_to_steady;
  std::string stopped_by;  // "steady", "time"
};

// The ranks of a step over several devices (axis `ranks`). The launch's latency is from the first rank's
// start to the last rank's end. All other times of the launch are those of the slowest rank.
struct RankTimes {
  std::optional<Summary> skew_seconds;  // per step: from the first rank's end to the last rank's end
  std::vector<double> submit_seconds;   // the median of each rank
};

// The numbers that a cell's summary needs from a launch's samples.
struct WithinLaunch {
  std::optional<double> submit_spread;  // log_spread() in statistics/cell_summary.cpp
  std::optional<double> latency_spread;
  std::optional<double> device_spread;
  std::optional<std::int64_t> steady_step;  // the first steady step, counted from 0
};

// One launch's measurements of one cell. A summary's p50 is the geometric mean of the placements' p50s, and
// the throughput is the geometric mean of their rates, so placements have equal weights. The other numbers of
// a summary are computed from the samples of all placements together, without the ramp (the first steps after
// the setup, timed one by one).
struct Launch {
  std::int64_t index;
  Setup setup;
  std::vector<Setup> setups;       // of all placements; the first is `setup`
  std::optional<Startup> startup;  // of the worker, so equal in all its cells
  std::optional<Summary> submit_seconds;
  std::optional<Summary> latency_seconds;
  std::optional<Summary> device_seconds;
  std::optional<double> throughput_steps_per_second;
  // The limit that ended each pass: "precision", "time", "samples".
  std::string latency_stopped_by;
  std::string device_stopped_by;
  std::string throughput_stopped_by;
  std::vector<LaunchPlacement> placements;  // in the order of measurement
  std::optional<Sustained> sustained;
  std::optional<RankTimes> ranks;  // present if there are several
  // All samples in the order of measurement: first the ramp, then each placement's.
  std::vector<double> submit_samples;
  std::vector<double> latency_samples;
  std::vector<double> device_samples;
  // The start of each sample's step, in nanoseconds of the machine's monotonic clock.
  std::vector<std::int64_t> latency_started_ns;
  std::vector<std::int64_t> device_started_ns;
  std::optional<LaunchMachine> machine;
  std::optional<WithinLaunch> within;  // set by the parent, because the journal omits samples
  // The time to put back a foreign step's small state once, back to back. The throughput contains it.
  std::optional<double> restore_seconds;
  // This cell's share of the worker's time. The measured cells have equal shares.
  std::optional<double> worker_seconds;
  std::optional<double> measured_unix_seconds;  // when the worker had timed the cell; whole seconds
};

// What a foreign step writes and had before: the check puts it back before each step that it compares.
struct CheckedState {
  std::int64_t count;  // storages
  std::int64_t bytes;
  std::vector<std::string> names;  // some of them
  std::int64_t generators;         // of random numbers
  // The part that is put back before each timed step, too.
  std::int64_t before_steps;
  std::int64_t before_steps_bytes;
  std::int64_t without_copy;  // storages that are not put back, because no memory was left for a copy
};
// Whether the check ran on other inputs than those that were captured.
struct CheckedInputs {
  std::int64_t renewed;                 // tensors that got new values
  std::string kept_because;             // empty if values were renewed
  std::optional<bool> changed_outputs;  // absent if inputs were kept, or the step does not repeat its bits
  std::optional<double> build_seconds;  // the time of the build that made the new values
};

struct Check {
  std::string reference;  // the outputs to compare with: "eager" or "eager_again"
  bool identical;
  double max_abs_error;
  std::optional<std::string> tolerated;  // why differing outputs of a foreign step are not an error
  // Only of foreign steps that check themselves.
  std::optional<CheckedState> state;
  std::optional<CheckedInputs> inputs;
  std::vector<std::string> remarks;  // what the check could not show
};

// The worker's work to make and keep a cell's graphs, in the first placement of the first launch. Counting
// stops after the first 32 steps, so the counts do not depend on the number of samples.
struct Counters {
  std::int64_t programs;  // times the program was prepared
  std::int64_t pieces;    // parts of a step, captured or not
  std::int64_t capturable;
  std::int64_t captured;                      // recordings by the setup and by steps
  std::int64_t instantiated;                  // execs by the setup and by steps
  std::int64_t updated;                       // execs updated by steps
  std::int64_t compilations;                  // prepared kernels
  std::map<std::string, std::int64_t> skips;  // by reason code, if a graph mode could not run
};

void add(CacheUse& sum, const CacheUse& more);
CacheUse since(const CacheUse& before, const CacheUse& now);

// The device memory of programs (weights, inputs, state, activations) in one process, without workspace,
// tuning and the harness's own memory.
struct PeakBytes {
  std::optional<std::int64_t> build;            // peak with a workload's program, until all batches had run
  std::optional<std::int64_t> load;             // peak with a package's program, until all batches had run
  std::optional<std::int64_t> between_methods;  // maximum that stays allocated between two placements
};

struct Memory {
  std::int64_t weights_bytes;
  std::int64_t pool_bytes;          // reserved by the pool that all batches of the worker share
  std::int64_t pool_bytes_private;  // sum over batches, measured with a separate pool per batch
  std::int64_t pool_bytes_own;      // this cell's part of pool_bytes_private
  // The worker's memory in the first placement on its last device, after all visits. used = context + code +
  // static + workspace + pool_bytes + graphs + unaccounted.
  std::optional<std::int64_t> used_bytes;       // reported by the driver
  std::optional<std::int64_t> context_bytes;    // the context and its streams
  std::optional<std::int64_t> code_bytes;       // libraries' code, handles; driver's reserve for launches
  std::optional<std::int64_t> static_bytes;     // weights, inputs, state
  std::optional<std::int64_t> workspace_bytes;  // scratch of libraries and ops; buffer for cache flushes
  std::optional<std::int64_t> pool_in_use_bytes_max;  // peak of the used part of pool_bytes
  std::optional<std::int64_t> graphs_bytes;           // growth of used memory during the graphs' setup
  std::optional<std::int64_t> unaccounted_bytes;      // negative if other memory was freed meanwhile
  // The memory that one more exec of each of the cell's graphs takes in total, and its resolution. The first
  // launch measures many execs, because the driver often already has free memory for a few.
  std::optional<std::int64_t> exec_bytes;
  std::optional<std::int64_t> exec_resolution_bytes;
  std::optional<std::int64_t> weights_bytes_max;  // peak of weights on the device
  std::optional<std::int64_t> tuning_bytes_max;   // peak of operands while candidate kernels are timed
  std::optional<PeakBytes> peak_bytes;
  std::string witness;  // source of used_bytes: "process" (its own use), "device" (decrease of free memory)
};

// The implementation that runs some ops, if the device could choose between implementations.
struct OpPath {
  std::string path;      // "conv2d:cudnn"
  std::string fallback;  // why the fastest implementation was not used; empty: `path` is the fastest
  std::int64_t ops;
  friend bool operator==(const OpPath&, const OpPath&) = default;
};

// The order of `ok`, `skipped` and `failed` is from best to worst.
enum class CellStatus : std::uint8_t { pending, ok, skipped, failed };
// Returns the name in documents and metrics, where a pending cell is "skipped".
std::string_view name_of(CellStatus status) noexcept;

struct Estimate {
  double p50;                      // median of the launches' p50s
  std::optional<double> ci95_low;  // of the launches' geometric mean; absent below three launches
  std::optional<double> ci95_high;
  std::optional<double> between_launches;  // standard deviation of the logarithms of the launches' p50s
  std::optional<double> within_launch;     // spread of log samples (IQR / 1.349), median over launches
};

// never: slower than eager. not_told_apart: the interval of the time that a step saves contains 0. no_graph:
// none of the cell's kernels ran in a graph.
enum class NoBreakeven : std::uint8_t { never, not_told_apart, eager_not_swept, no_graph };
std::string_view name_of(NoBreakeven reason) noexcept;

enum class LaunchBoundBy : std::uint8_t { records, whole };

struct CellSummary {
  std::optional<Estimate> submit_seconds;
  std::optional<Estimate> latency_seconds;
  std::optional<Estimate> device_seconds;
  std::optional<double> speedup_over_eager;  // eager's latency p50 divided by this cell's
  std::optional<double> speedup_ci95_low;    // needs three launches; only for graph modes
  std::optional<double> speedup_ci95_high;
  // This cell's steps per second, back to back, divided by eager's. The interval needs three launches, too.
  std::optional<double> throughput_over_eager;
  std::optional<double> throughput_ci95_low;
  std::optional<double> throughput_ci95_high;
  // What piecewise takes longer than whole, per break (breaks_of()). Absent unless three launches of each
  // show that it takes longer: both ends are positive.
  std::optional<double> break_latency_seconds;
  std::optional<double> break_latency_ci95_low;
  std::optional<double> break_latency_ci95_high;
  std::optional<double> break_submit_seconds;
  std::optional<double> break_submit_ci95_low;
  std::optional<double> break_submit_ci95_high;
  // Number of synchronous replays whose saved latency pays back warmups and setup (the setups that count:
  // statistics/setup_cost.hpp). The interval needs three launches. Only for graph modes without no_breakeven.
  std::optional<double> breakeven_steps;
  std::optional<double> breakeven_ci95_low;
  std::optional<double> breakeven_ci95_high;
  std::optional<NoBreakeven> no_breakeven;
  std::optional<double> setup_cost_seconds;  // the cost that break-even pays back, median over launches
  // The extra time of a process's first setups over its later ones, summed over the task's batches.
  std::optional<double> setup_once_seconds;
  // The start-up of the process in the middle (setup_cost.hpp), with all batches. Only for graph modes.
  std::optional<double> startup_seconds;
  std::optional<double> startup_ci95_low;
  std::optional<double> startup_ci95_high;
  // Steps and warmups before latency stays within 2 % of its steady median. Absent if most launches do not.
  std::optional<std::int64_t> steady_after;
  std::optional<double> submit_over_floor;  // submit p50 divided by the minimum cost of the step's launches
  // Only for an eager cell: the share of its latency in which the device is idle. Absent: unknown.
  std::optional<double> launch_bound;
  std::optional<LaunchBoundBy> launch_bound_by;
  std::optional<double> graphed;  // the share of a foreign step's kernels that graphs ran (StepRecords)
  std::optional<double> predicted_gain;  // only for a foreign eager cell: the gain of one graph (StepRecords)
};

inline bool may_be_no_gain(std::optional<double> ci95_low, std::optional<double> ci95_high) {
  return ci95_low && *ci95_low <= 1 && *ci95_high >= 1;
}
inline bool may_be_no_gain(const CellSummary& summary) {
  return may_be_no_gain(summary.speedup_ci95_low, summary.speedup_ci95_high);
}

// The forward program with the parameters that the check's training steps wrote (--evaluate).
struct Evaluation {
  std::int64_t ops;
  std::int64_t pieces;
  std::int64_t eager_ops;
  bool identical;  // outputs equal eager's bit for bit
  std::optional<Summary> latency_seconds;
};
struct Training {
  facts::TrainingFacts program;
  std::optional<std::int64_t> peak_bytes;  // peak of activations and gradients
  // Device time of a step's phases, from a separate pass. Absent if one graph has ops of several phases.
  std::optional<double> forward_seconds;
  std::optional<double> backward_seconds;
  std::optional<double> optimizer_seconds;
  std::optional<double> step_seconds;  // device time of whole steps in that pass
  std::vector<Reason> breaks;          // why gradients cannot be in a graph, one entry per cause
  std::optional<Evaluation> evaluation;
};

struct TracedStep {
  std::int64_t id;        // from 1, in the order of the file
  std::string signature;  // the program's shape: "b* s128" or "b*", where b* means any batch size
  std::int64_t batch;
  std::int64_t ops;
  std::string outcome;                  // "traced", "program_hit", "graph_hit", "recorded_again"
  std::string reason;                   // why a program or recording was made; empty: none was made
  double seconds;                       // host time from the request for the step until its submission
  std::optional<double> trace_seconds;  // part of `seconds`: building and rewriting the program
};
// The walk over a trace of shapes. Each task walks once, in the cell of its largest batch.
struct ShapeWalk {
  std::int64_t programs_max;
  std::int64_t recordings_max;
  std::int64_t programs;    // in memory at the end
  std::int64_t recordings;  // made during the walk
  std::int64_t generations;
  std::int64_t pool_bytes;
  // Median times to submit a step from its recordings, with and without the lookup. Absent: no such step.
  std::optional<double> hit_seconds;
  std::optional<double> replay_seconds;
  std::vector<TracedStep> traces;
};

// A cell's use of a package (--package) in its first launch.
struct PackageUse {
  std::int64_t bytes;  // size of the package file
  std::int64_t weights_bytes;
  // The time to read and check the package, make the program, and read, verify and upload the weights.
  double load_seconds;
  double verify_seconds;      // part of load_seconds: the digests of weights
  double first_step_seconds;  // from a ready context to the end of the first step, without other batches
  // The source of the library choices: "package", "chosen_at_load" if the package's choices are for another
  // device, library or build, or empty if the package has no choices.
  std::string plans;
  bool low_memory;
  std::int64_t staging_bytes;  // peak of host memory for loading weights
};

// Distinguishes devices that have the same fingerprint.
struct MeasuredOn {
  std::string hostname;
  std::string uuid;  // empty: the host itself
  friend bool operator==(const MeasuredOn&, const MeasuredOn&) = default;
};

struct CellResult {
  Cell cell;
  CellStatus status;
  std::optional<Reason> reason;
  std::optional<Check> check;
  std::optional<GraphCounts> graph;
  std::optional<Memory> memory;
  std::optional<Io> caller_io;
  std::optional<Counters> counters;
  std::optional<Training> training;
  std::optional<ShapeWalk> shape_walk;
  std::optional<CacheUse> cache;  // absent if nothing was cached
  std::optional<PackageUse> package;
  std::vector<std::string> rewrites;  // changes of the program by the requested rewrite passes
  std::string fallback;               // the mode that ran in place of cell.mode; empty: cell.mode ran
  std::optional<Reason> fallback_reason;
  std::optional<bool> tuned;  // with --tune-sizes: whether this size has its own library choices
  std::vector<OpPath> paths;
  std::vector<Launch> launches;
  CellSummary summary;
  std::optional<Profile> profile;              // from the last profiled launch
  std::optional<StepRecords> records;          // from the last launch; only for foreign steps on a GPU
  std::vector<CaptureSkip> capture_skips;      // counters.skips counts them
  std::map<std::string, LibraryFact> library;  // facts from a foreign step's library, by the library's names
  bool resumed;                                // some launches were measured before an interruption
  std::optional<MeasuredOn> measured_on;  // the device of those launches, if the sweep resumed on another
  std::optional<std::int64_t> shard;      // only in a merged result: the shard that measured the cell
};

// True if a graph mode of a foreign step ran none of its kernels in a graph.
inline bool took_no_graph(const CellResult& cell) {
  return cell.summary.graphed == 0;
}

// Merges the choices of one worker into `choices`, the sweep's choices sorted by key and algorithm. A key has
// several algorithms if workers chose differently. A choice is a hit only if it was a hit in all workers.
void add_choices(std::vector<LibraryChoice>& choices, const std::vector<LibraryChoice>& of_worker);

struct Environment {
  std::string hostname;
  std::string os;
  std::string cpu;
  std::int64_t cores = 0;
  DeviceFacts device{};
  std::string fingerprint;  // hex digest of device, driver, libraries, CPU and version (fingerprint_of)
  std::optional<Floors> floors;
  std::optional<CpuState> machine;
  std::optional<InstrumentState> profiler;  // the instrument for profiles and for records of foreign steps
  std::optional<InstrumentState> monitor;   // the instrument for clocks and temperatures
  // graphbench's environment variables that affect the measurement, if set
  std::map<std::string, std::string> variables = {};
  std::vector<LibraryChoice> library_choices = {};
  std::string no_gpu = {};  // why --device auto took the host; empty if it did not
};

struct Axes {
  std::vector<std::string> workload;
  std::vector<std::string> preset;
  std::vector<std::string> dtype;
  std::vector<std::string> pass;
  std::vector<std::int64_t> batch;
  std::vector<std::int64_t> warmup;
  std::vector<std::string> mode;
  std::map<std::string, std::vector<std::string>> more_axes = {};
};

// The A/B run that a result is a side of. Launch i ran next to launch i of the other side.
struct Interleaved {
  std::string id;    // both sides have this id
  std::string side;  // "base", "new"
  // Only with --until-decided: launches per side at each comparison during the run (look), and at the end.
  std::vector<std::int64_t> looks = {};
};

struct ShardFacts {
  std::int64_t index = 1;  // from 1 to count
  std::int64_t count = 1;
  std::string by;          // "task", "replica"
  std::string assignment;  // digest of all shards' cells, and of launches, seed, plugins and binary
  // The preset of each workload, if presets differ. A merge computes the plan's cells from them.
  std::map<std::string, std::string> presets = {};
};

// The version of the measuring method (docs/reference/measuring.md). The number of placements per launch is
// not part of it, because the estimated quantity is the same.
inline constexpr std::int64_t measuring_method = 3;

// The version of the formulas of gains and break-even. Version 1, of documents that name none, took them from
// means of logarithms; readers make these again.
inline constexpr std::int64_t gain_formulas = 2;

struct PlanFacts {
  std::int64_t method = measuring_method;
  std::int64_t gains = gain_formulas;
  std::string hash;
  std::vector<std::string> argv;
  std::int64_t seed = 1;
  std::int64_t launches = 1;
  bool cold_l2 = false;  // the L2 cache was flushed before each timed step
  bool profile = false;
  bool cell_processes = false;  // in an A/B run: each cell had its own process
  std::optional<Interleaved> interleaved;
  std::map<std::string, std::string> caller = {};  // options::changed_settings()
  Axes axes;                                       // the first grid
  std::vector<Axes> more_grids = {};
  std::optional<ShardFacts> shard = {};
  std::optional<double> time_per_cell = {};  // only if it is the default for foreign steps
  std::string concurrent = {};  // "cuda:0, cuda:1": all devices measured at the same time; empty: one device
  // Sentences about options that change no cell, from a file or a request, or nothing in a program:
  // "sweep.toml:3: io-addresses: ...".
  std::vector<std::string> without_effect = {};
};

struct MergedShard {
  std::int64_t index = 1;
  std::string started_at;
  std::string finished_at;
  Environment environment;
};

struct Result {
  std::string tool_version;
  std::string tool_commit;
  std::string started_at;  // RFC 3339, UTC
  std::string finished_at;
  bool complete = false;
  Environment environment;
  PlanFacts plan;
  std::vector<MergedShard> shards = {};
  std::vector<CellResult> cells;
  std::string trust_elsewhere = {};  // its note on trust where its cells do not say it; empty: they do
};

}  // namespace graphbench::model
