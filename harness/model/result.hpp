// A sweep's result as plain data: the harness fills it in, and every reporter reads it. It mirrors the result
// document `graphbench.result/1`. Times are in seconds, memory in bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/facts/cache.hpp"
#include "graphs/base/facts/device.hpp"
#include "graphs/base/facts/graph.hpp"
#include "graphs/base/facts/training.hpp"
#include "harness/model/instruments.hpp"
#include "harness/model/package_use.hpp"

namespace graphbench::model {

// Types of a result that the graph libraries fill in.
using facts::CacheUse;
using facts::DeviceFacts;
using facts::GraphCounts;
using facts::Io;
using facts::LibraryChoice;
using facts::Reason;

// One point of the sweep.
struct Cell {
  std::string workload;
  std::string preset;
  std::string dtype;  // "bf16", "fp16", "fp32"
  std::string pass;   // "forward"
  std::int64_t batch = 0;
  std::int64_t warmup = 0;
  std::string mode;  // "eager", "whole", "piecewise"
  // Later axes (axes.hpp) by name, without those at their default.
  std::map<std::string, std::string> more_axes = {};
  friend bool operator==(const Cell&, const Cell&) = default;
};

// Returns "mlp/base/bf16/forward/b8/w3/whole", with "/NAME=VALUE" for each later axis not at its default.
std::string id_of(const Cell& cell);

// Order statistics of one launch's samples. p50 is the median; with several placements, the geometric mean of
// their medians (Launch). Higher percentiles are nearest ranks of the sorted samples. p90 needs 44 samples,
// p99 459 and p99.9 4,603, so that one sample lies above the quantile with 99 % confidence.
struct Summary {
  std::int64_t count;
  double min;
  double p50;
  std::optional<double> p90;
  std::optional<double> p99;
  std::optional<double> p999;
  // The interval of this launch's p50, only for its placements: the geometric means of the bounds of the
  // medians' distribution-free intervals. Absent if a placement has fewer than six samples.
  std::optional<double> p50_ci95_low;
  std::optional<double> p50_ci95_high;
  double max;
  double mean;
  std::optional<double> stddev;  // needs two samples
};

struct Setup {
  std::optional<double> prepare_seconds;  // time to look up and choose kernels and plans
  double warmup_seconds;
  double capture_seconds;
  double instantiate_seconds;
  double upload_seconds;
  double first_step_seconds;
};

// How a worker became ready, over all its batches in the first placement. The stages follow one another.
// Their sum is the time from the worker's start to the first step of its last batch, without the timed steps
// of the other batches (ramp_seconds).
struct Startup {
  // From the parent's call that starts the process to the arrival of its task. Absent: no parent.
  std::optional<double> process_seconds;
  double plugin_seconds;   // to load plugins and build the program
  double module_seconds;   // to load the backend's module
  double context_seconds;  // to open device and stream, and set up the CPU, the monitor and the cache buffer
  double weights_seconds;  // to allocate and fill static buffers
  double prepare_seconds;  // from this member on: sums over the batches' setups
  double warmup_seconds;
  double capture_seconds;
  double instantiate_seconds;
  double upload_seconds;
  double first_step_seconds;
};

// One placement of a launch: the numbers of samples, and their medians.
struct LaunchPlacement {
  std::int64_t latency_samples;  // also of submit samples
  std::int64_t device_samples;
  std::optional<double> submit_seconds;
  std::optional<double> latency_seconds;
  std::optional<double> device_seconds;
  std::optional<double> throughput_steps_per_second;
};

// A cell under load (`--sustained`). Steps run back to back until the device's clock and power are steady,
// then the next steps are timed without a pause. Without a steady state, times and seconds_to_steady are
// absent.
struct Sustained {
  std::optional<Summary> latency_seconds;
  std::optional<Summary> device_seconds;
  std::optional<double> sm_clock_hz;  // mean of the last two seconds before the samples
  std::optional<double> power_watts;  // also over these two seconds
  std::optional<double> seconds_to_steady;
  std::string stopped_by;  // "steady", "time"
};

// The ranks of a step over several devices (axis `ranks`). The launch's times are those of the group: latency
// from the first rank's start to the last one's end, all others of the slowest rank.
struct RankTimes {
  std::optional<Summary> skew_seconds;  // from the first rank's end of a step to the last one's
  std::vector<double> submit_seconds;   // the median of each rank
};

// Figures of a launch's samples that the cell's summary needs.
struct WithinLaunch {
  std::optional<double> submit_spread;  // as Estimate::within_launch
  std::optional<double> latency_spread;
  std::optional<double> device_spread;
  std::optional<std::int64_t> steady_step;  // the first steady step, counted from 0
};

// The measurements of one launch (one worker process) in one cell. A summary's p50 is the geometric mean of
// its placements' p50s, and the throughput is that of their rates, so each placement has the same weight for
// any number of samples. All other numbers of a summary come from the samples of all placements together,
// without the ramp.
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
  std::optional<Sustained> sustained;       // present if requested
  std::optional<RankTimes> ranks;           // present if there are several
  // All samples in the order of measurement: the ramp, which begins with the first step after the setup, then
  // the samples of each placement. Not all reporters publish them.
  std::vector<double> submit_samples;
  std::vector<double> latency_samples;
  std::vector<double> device_samples;
  // The start of each sample's step, in nanoseconds of the machine's monotonic clock.
  std::vector<std::int64_t> latency_started_ns;
  std::vector<std::int64_t> device_started_ns;
  std::optional<LaunchMachine> machine;
  std::optional<WithinLaunch> within;  // set if the samples were dropped; absent: all samples are here
  // This cell's share of the worker's time. The measured cells divide the time equally.
  std::optional<double> worker_seconds;
};

struct Check {
  std::string reference;  // the outputs to compare with: "eager" or "eager_again"
  bool identical;
  double max_abs_error;
  std::optional<std::string> tolerated;  // why a foreign step's outputs may differ
};

// The work of a cell's worker to make and keep graphs, in the first placement of the first launch, until the
// first 32 steps have run. So the number of samples has no effect.
struct Counters {
  std::int64_t programs;                      // times the program was prepared
  std::int64_t pieces;                        // parts of a step, captured or not
  std::int64_t capturable;                    // parts that a graph can hold
  std::int64_t captured;                      // recordings by the setup and by steps
  std::int64_t instantiated;                  // execs by the setup and by steps
  std::int64_t updated;                       // execs updated by steps
  std::int64_t compilations;                  // prepared kernels
  std::map<std::string, std::int64_t> skips;  // by reason code, if a graph mode could not run
};

// Adds the use of the cache (--cache) by one launch to that of all launches of a cell.
void add(CacheUse& sum, const CacheUse& more);
// Returns the use of the cache between two readings of a process's counts.
CacheUse since(const CacheUse& before, const CacheUse& now);

// The peak of device memory of programs (weights, inputs, state, activations) in one process, without
// workspace, tuning and the harness's own memory.
struct PeakBytes {
  std::optional<std::int64_t> build;            // with a workload's program, until all batches had run
  std::optional<std::int64_t> load;             // with a package's program, until all batches had run
  std::optional<std::int64_t> between_methods;  // left over between two programs of one process
};

struct Memory {
  std::int64_t weights_bytes;
  std::int64_t pool_bytes;          // reserved by the pool that all batches of the worker share
  std::int64_t pool_bytes_private;  // the sum over batches if each has its own pool
  std::int64_t pool_bytes_own;      // this cell's part of pool_bytes_private
  // The worker's memory in the first placement on its last device, after all visits. used = context + code +
  // static + workspace + pool_bytes + graphs + unaccounted.
  std::optional<std::int64_t> used_bytes;     // as the driver reports
  std::optional<std::int64_t> context_bytes;  // with streams
  std::optional<std::int64_t>
      code_bytes;  // code and handles of libraries, with the driver's reserves for launches
  std::optional<std::int64_t> static_bytes;  // weights, inputs, state
  // scratch memory of libraries and ops, and the buffer that flushes the cache
  std::optional<std::int64_t> workspace_bytes;
  std::optional<std::int64_t> pool_in_use_bytes_max;  // of pool_bytes
  std::optional<std::int64_t> graphs_bytes;           // taken by captures and instantiation
  std::optional<std::int64_t> unaccounted_bytes;      // negative if other memory was freed meanwhile
  // The memory of one more exec of each of this cell's graphs, in total, and the smallest meaningful
  // difference. The first launch measures it separately, because execs often fit into memory that the driver
  // already holds.
  std::optional<std::int64_t> exec_bytes;
  std::optional<std::int64_t> exec_resolution_bytes;
  std::optional<std::int64_t> weights_bytes_max;  // peak of weights on the device
  std::optional<std::int64_t> tuning_bytes_max;   // peak of operands for timed candidates
  std::optional<PeakBytes> peak_bytes;
  std::string witness;  // source of used_bytes: memory of the "process", or memory that the "device" lost
};

// The implementation of ops, if there was a choice that affects speed.
struct OpPath {
  std::string path;      // "conv2d:cudnn"
  std::string fallback;  // why the faster path was not used; empty: it was
  std::int64_t ops;
  friend bool operator==(const OpPath&, const OpPath&) = default;
};

enum class CellStatus : std::uint8_t { pending, ok, skipped, failed };
// Returns the name in documents and metrics. A pending cell is called skipped.
std::string_view name_of(CellStatus status) noexcept;

// The median over launches of the launches' p50s. The interval is absent below three launches.
struct Estimate {
  double p50;
  std::optional<double> ci95_low;
  std::optional<double> ci95_high;
  std::optional<double> between_launches;  // standard deviation of the logarithms of the launch p50s
  std::optional<double> within_launch;     // median launch's spread of log samples (IQR / 1.349)
};

// Why a graph mode has no break-even. not_told_apart: the interval of the saving per step contains 0.
enum class NoBreakeven : std::uint8_t { never, not_told_apart, eager_not_swept };
std::string_view name_of(NoBreakeven reason) noexcept;

struct CellSummary {
  std::optional<Estimate> submit_seconds;
  std::optional<Estimate> latency_seconds;
  std::optional<Estimate> device_seconds;
  std::optional<double> speedup_over_eager;  // eager's latency p50 over this cell's
  // Intervals of ratios between launches with the same index. A graph mode has them if both cells have three
  // such launches.
  std::optional<double> speedup_ci95_low;
  std::optional<double> speedup_ci95_high;
  // This cell's steps per second, back to back, over eager's. The interval also needs three such launches.
  std::optional<double> throughput_over_eager;
  std::optional<double> throughput_ci95_low;
  std::optional<double> throughput_ci95_high;
  // Replays, each with a wait, that pay back warmups and setup (statistics/setup_cost.hpp says which setups
  // count). The interval needs three launches. Absent for other modes, and if no_breakeven is set.
  std::optional<double> breakeven_steps;
  std::optional<double> breakeven_ci95_low;
  std::optional<double> breakeven_ci95_high;
  std::optional<NoBreakeven> no_breakeven;
  std::optional<double> setup_cost_seconds;  // the cost that break-even pays back, as median over launches
  // The cost that a process pays once: by how much the first warmups and setups of all the task's batches
  // exceed later ones. All its cells have the same value. Absent: no excess, or not known.
  std::optional<double> setup_once_seconds;
  // Steps, including warmups, until latency is within 2 % of its steady median. Absent: it never was.
  std::optional<std::int64_t> steady_after;
  std::optional<double> submit_over_floor;  // submit p50 over the least cost of the step's launches
  // Only for the eager cell of a foreign step, without a capture: the share of its latency in which the
  // device is idle (absent: none), and the predicted gain of one graph (StepRecords).
  std::optional<double> launch_bound;
  std::optional<double> predicted_gain;
};

// Whether the interval of a gain contains 1, so that there may be no gain.
inline bool may_be_no_gain(std::optional<double> ci95_low, std::optional<double> ci95_high) {
  return ci95_low && *ci95_low <= 1 && *ci95_high >= 1;
}
inline bool may_be_no_gain(const CellSummary& summary) {
  return may_be_no_gain(summary.speedup_ci95_low, summary.speedup_ci95_high);
}

// The forward program with the parameters that the check's training steps left (--evaluate).
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
  // Device time of a step's phases, in a separate pass. Absent if a graph has several phases.
  std::optional<double> forward_seconds;
  std::optional<double> backward_seconds;
  std::optional<double> optimizer_seconds;
  std::optional<double> step_seconds;  // of the same steps, as median
  std::vector<Reason> breaks;          // gradients that graphs cannot hold, one of each kind
  std::optional<Evaluation> evaluation;
};

// A step of --shape-trace, and whether it needed a new program or recording.
struct TracedStep {
  std::int64_t id;        // from 1, in the order of the file
  std::string signature;  // of the program, which runs all batch sizes: "b* s128", "b*"
  std::int64_t batch;
  std::int64_t ops;                     // of the program
  std::string outcome;                  // "traced", "program_hit", "graph_hit", "recorded_again"
  std::string reason;                   // why a part had to be made; empty: none had to
  double seconds;                       // host time from the request for the step until its submission
  std::optional<double> trace_seconds;  // part of `seconds`: building and rewriting the program
};
// The walk over a trace of shapes. A task does it once, with its largest batch.
struct ShapeWalk {
  std::int64_t programs_max;
  std::int64_t recordings_max;
  std::int64_t programs;    // in memory at the end
  std::int64_t recordings;  // recordings made of paths
  std::int64_t generations;
  std::int64_t pool_bytes;
  // Medians of submitting a recorded path: with and without the lookup. Absent: no step had all its parts.
  std::optional<double> hit_seconds;
  std::optional<double> replay_seconds;
  std::vector<TracedStep> traces;
};

// Tells devices with the same fingerprint apart.
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
  std::optional<CacheUse> cache;          // absent if nothing was cached
  std::optional<PackageUse> package;      // only with --package
  std::vector<std::string> rewrites;      // changes of the program by the requested rewrite passes
  std::string fallback;                   // the mode that ran in place of the cell's own; empty: its own
  std::optional<Reason> fallback_reason;  // why `fallback` ran
  std::optional<bool> tuned;              // with --tune-sizes: whether this size has its own library choices
  std::vector<OpPath> paths;
  std::vector<Launch> launches;
  CellSummary summary;
  std::optional<Profile> profile;              // from the last profiled launch
  std::optional<StepRecords> records;          // from the last launch; only for foreign steps on a GPU
  std::map<std::string, std::string> library;  // facts from a foreign step's library, by its names
  bool resumed;                                // some launches were measured before an interruption
  std::optional<MeasuredOn> measured_on;       // the device of those launches, if it was another one
  std::optional<std::int64_t> shard;           // only in a merged result: the shard of the cell
};

// Merges the choices of one worker into those of a sweep, sorted by key and algorithm. A key has several
// algorithms if workers chose differently. A choice is a hit only if it was a hit in all workers.
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
};

struct Axes {
  std::vector<std::string> workload;
  std::vector<std::string> preset;
  std::vector<std::string> dtype;
  std::vector<std::string> pass;
  std::vector<std::int64_t> batch;
  std::vector<std::int64_t> warmup;
  std::vector<std::string> mode;
  std::map<std::string, std::vector<std::string>> more_axes = {};  // later axes not at their default
};

// An A/B run: launch i ran next to launch i of the result with the same id.
struct Interleaved {
  std::string id;
  std::string side;  // "base", "new"
  // Only for a run until decided: the launches per side at each look, and their final number.
  std::vector<std::int64_t> looks = {};
};

// The part of the plan that a sweep measured.
struct ShardFacts {
  std::int64_t index = 1;  // from 1 to count
  std::int64_t count = 1;
  std::string by;          // "task", "replica"
  std::string assignment;  // digest of all shards' cells, and of launches, seed, plugins and binary
  // The preset of each workload, if presets differ. A merge needs them to know all cells of the plan.
  std::map<std::string, std::string> presets = {};
};

// The version of the measuring method (docs/reference/measuring.md). The number of placements per launch is
// not part of it, because the estimated quantity is the same.
inline constexpr std::int64_t measuring_method = 3;

struct PlanFacts {
  std::int64_t method = measuring_method;
  std::string hash;
  std::vector<std::string> argv;
  std::int64_t seed = 1;
  std::int64_t launches = 1;
  bool cold_l2 = false;         // the L2 cache was flushed before each timed step
  bool profile = false;         // each cell was profiled after the measurement
  bool cell_processes = false;  // in an A/B run: each cell had its own process
  std::optional<Interleaved> interleaved;
  std::map<std::string, std::string> caller = {};  // CallerOptions not at their default
  Axes axes;
  std::vector<Axes> more_grids = {};  // each grid is expanded; a cell of two grids belongs to the first
  std::optional<ShardFacts> shard = {};
  std::string concurrent = {};  // "cuda:0, cuda:1": devices measured at the same time, with this one
};

// One shard of a merged result.
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
  std::vector<MergedShard> shards = {};  // only in a merged result
  std::vector<CellResult> cells;
};

}  // namespace graphbench::model
