// A sweep's result as plain data: the harness fills it in, and every reporter reads it. It mirrors the result
// document `graphbench.result/1`. Times in seconds, memory in bytes; optional means absent.
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

// Parts of a result that graphs fill in.
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
  // Later axes (axes.hpp) that are not at their default, by name.
  std::map<std::string, std::string> more_axes = {};
  friend bool operator==(const Cell&, const Cell&) = default;
};

// "mlp/base/bf16/forward/b8/w3/whole", and "/NAME=VALUE" for each later axis that is not at its default.
std::string id_of(const Cell& cell);

// Order statistics of one launch's samples. p50 is the median, of several placements the geometric mean of
// their medians (Launch). Higher percentiles are nearest rank on the sorted samples; p90 needs 44 samples,
// p99 459, p99.9 4,603 (so that one lies above the quantile with 99 % confidence).
struct Summary {
  std::int64_t count;
  double min;
  double p50;
  std::optional<double> p90;
  std::optional<double> p99;
  std::optional<double> p999;
  // For this launch's p50 in its placements: the geometric means of their medians' distribution-free
  // intervals. Absent if a placement has fewer than six samples.
  std::optional<double> p50_ci95_low;
  std::optional<double> p50_ci95_high;
  double max;
  double mean;
  std::optional<double> stddev;  // needs two samples
};

struct Setup {
  std::optional<double> prepare_seconds;  // kernels and plans looked up and chosen
  double warmup_seconds;
  double capture_seconds;
  double instantiate_seconds;
  double upload_seconds;
  double first_step_seconds;
};

// How a worker came to be ready, over all its batches in the first placement. The stages follow one another:
// their sum is the time from its start to the first step of its last batch, less the other batches' timed
// steps (ramp_seconds).
struct Startup {
  // From the parent's call that starts it to its task; absent: no parent.
  std::optional<double> process_seconds;
  double plugin_seconds;   // to load plugins and build the program
  double module_seconds;   // to load the backend's module
  double context_seconds;  // to open device and stream, and set up CPU, monitor and cache buffer
  double weights_seconds;  // to allocate and fill static buffers
  double prepare_seconds;  // from here on: sums over the batches' setups
  double warmup_seconds;
  double capture_seconds;
  double instantiate_seconds;
  double upload_seconds;
  double first_step_seconds;
};

// The measurements of one placement of a launch: the numbers of samples, and their medians.
struct LaunchPlacement {
  std::int64_t latency_samples;  // and of submit samples
  std::int64_t device_samples;
  std::optional<double> submit_seconds;
  std::optional<double> latency_seconds;
  std::optional<double> device_seconds;
  std::optional<double> throughput_steps_per_second;
};

// A cell under load (`--sustained`): steps ran back to back until the device's clock and power were steady,
// and then without a rest while they were timed. Where they never were steady, times and seconds_to_steady
// are absent.
struct Sustained {
  std::optional<Summary> latency_seconds;
  std::optional<Summary> device_seconds;
  std::optional<double> sm_clock_hz;  // mean of the last two seconds before the samples
  std::optional<double> power_watts;  // likewise
  std::optional<double> seconds_to_steady;
  std::string stopped_by;  // "steady", "time"
};

// The figures that cells' summaries take from a launch's samples.
struct WithinLaunch {
  std::optional<double> submit_spread;  // as Estimate::within_launch
  std::optional<double> latency_spread;
  std::optional<double> device_spread;
  std::optional<std::int64_t> steady_step;  // the first of its steady steps, counted from 0
};

// The measurements of one launch (one worker process) in one cell. The p50 of a summary is the geometric mean
// of its placements' p50s, and throughput that of their rates, so each placement counts alike however many
// samples it took. Everything else in a summary comes from all placements' samples together, without the
// ramp.
struct Launch {
  std::int64_t index;
  Setup setup;
  std::vector<Setup> setups;       // setups of all placements; the first is `setup`
  std::optional<Startup> startup;  // startup of the worker, the same in all its cells
  std::optional<Summary> submit_seconds;
  std::optional<Summary> latency_seconds;
  std::optional<Summary> device_seconds;
  std::optional<double> throughput_steps_per_second;
  // The bound that ended each pass: "precision", "time", "samples".
  std::string latency_stopped_by;
  std::string device_stopped_by;
  std::string throughput_stopped_by;
  std::vector<LaunchPlacement> placements;  // in the order measured
  std::optional<Sustained> sustained;       // present if it was asked for
  // Every sample in the order taken: the ramp, whose sample 0 is the first step after the setup, then each
  // placement's. Not all reporters publish them.
  std::vector<double> submit_samples;
  std::vector<double> latency_samples;
  std::vector<double> device_samples;
  // When each sample's step began: nanoseconds of the machine's monotonic clock.
  std::vector<std::int64_t> latency_started_ns;
  std::vector<std::int64_t> device_started_ns;
  std::optional<LaunchMachine> machine;
  std::optional<WithinLaunch> within;  // set if samples are not kept; absent: all samples are here
  // The cost of a launch: this cell's share of its worker's time, which the measured cells divide.
  std::optional<double> worker_seconds;
};

struct Check {
  std::string reference;  // what outputs were compared with: "eager" or "eager_again"
  bool identical;
  double max_abs_error;
  std::optional<std::string> tolerated;  // why outputs that are not identical pass: a foreign step's may
};

// The work of a cell's worker to have and keep its graphs: in the first placement of the first launch, until
// the first 32 steps had run. So it does not depend on how many samples were taken.
struct Counters {
  std::int64_t programs;                      // prepared
  std::int64_t pieces;                        // parts of a step, captured or not
  std::int64_t capturable;                    // parts that a graph can hold
  std::int64_t captured;                      // recordings made, by the setup and by steps
  std::int64_t instantiated;                  // likewise
  std::int64_t updated;                       // execs, by steps
  std::int64_t compilations;                  // kernels prepared
  std::map<std::string, std::int64_t> skips;  // by reason code, if a graph mode could not run
};

// How preparing a cell used the cache (--cache), in all its launches together.
void add(CacheUse& sum, const CacheUse& more);
// How a process used it between two times.
CacheUse since(const CacheUse& before, const CacheUse& now);

// The most device memory of programs (weights, inputs, state, activations) in one process. Workspace, scratch
// of tuning and the harness's own memory are not in it.
struct PeakBytes {
  std::optional<std::int64_t> build;            // with a workload's program, until all its batches had run
  std::optional<std::int64_t> load;             // a package's program, likewise
  std::optional<std::int64_t> between_methods;  // left between two programs of one process
};

struct Memory {
  std::int64_t weights_bytes;
  std::int64_t pool_bytes;          // reserved by the pool that all batches of the worker share
  std::int64_t pool_bytes_private;  // the sum over the batches, if each is captured into a pool of its own
  std::int64_t pool_bytes_own;      // this cell's part of that sum
  // The worker's memory in the first placement on its last device, after its visits. used = context + code +
  // static + workspace + pool_bytes + graphs + unaccounted.
  std::optional<std::int64_t> used_bytes;     // as the driver says
  std::optional<std::int64_t> context_bytes;  // with streams
  std::optional<std::int64_t>
      code_bytes;  // code and handles of libraries, with the driver's reserves for launches
  std::optional<std::int64_t> static_bytes;  // weights, inputs, state
  // scratch of libraries and ops, and the buffer that empties the cache
  std::optional<std::int64_t> workspace_bytes;
  std::optional<std::int64_t> pool_in_use_bytes_max;  // of pool_bytes
  std::optional<std::int64_t> graphs_bytes;           // memory that captures and instantiation took
  std::optional<std::int64_t> unaccounted_bytes;      // below 0 if others gave memory back meanwhile
  // The memory of one more exec of each of this cell's graphs, together, and the smallest meaningful
  // difference. The first launch measures it, apart from the accounts, because execs often fit into memory
  // that the driver already holds.
  std::optional<std::int64_t> exec_bytes;
  std::optional<std::int64_t> exec_resolution_bytes;
  std::optional<std::int64_t> weights_bytes_max;  // the most bytes of weights on the device at one time
  std::optional<std::int64_t> tuning_bytes_max;   // the most bytes of operands of candidates that were timed
  std::optional<PeakBytes> peak_bytes;
  std::string witness;  // what used_bytes counts: memory of the "process", or what the "device" has lost
};

// How ops of a cell are computed, where there was a choice that matters.
struct OpPath {
  std::string path;      // "conv2d:cudnn"
  std::string fallback;  // why the better path was not taken; empty if it was
  std::int64_t ops;
  friend bool operator==(const OpPath&, const OpPath&) = default;
};

enum class CellStatus : std::uint8_t { pending, ok, skipped, failed };
// The name in documents and metrics. A cell that is pending when they are made was skipped.
std::string_view name_of(CellStatus status) noexcept;

// The median over launches of the launch p50s; the interval is absent below three launches.
struct Estimate {
  double p50;
  std::optional<double> ci95_low;
  std::optional<double> ci95_high;
  std::optional<double> between_launches;  // standard deviation of the logarithms of the launch p50s
  std::optional<double> within_launch;     // the median launch's spread of log samples (IQR / 1.349)
};

// The reason why a graph mode has no break-even. not_told_apart: the interval of a step's saving holds 0.
enum class NoBreakeven : std::uint8_t { never, not_told_apart, eager_not_swept };
std::string_view name_of(NoBreakeven reason) noexcept;

struct CellSummary {
  std::optional<Estimate> submit_seconds;
  std::optional<Estimate> latency_seconds;
  std::optional<Estimate> device_seconds;
  std::optional<double> speedup_over_eager;  // eager latency p50 / this cell's
  // Intervals of the ratios between launches of one index. A graph mode has them if both cells have three
  // such launches.
  std::optional<double> speedup_ci95_low;
  std::optional<double> speedup_ci95_high;
  // This cell's steps per second, back to back, over eager's. The interval is as the speedup's.
  std::optional<double> throughput_over_eager;
  std::optional<double> throughput_ci95_low;
  std::optional<double> throughput_ci95_high;
  // Synchronous replays that pay the warmups and the setup back (statistics/setup_cost.hpp says which
  // setups count). The interval needs three launches. Absent: not a graph mode, or no_breakeven says why.
  std::optional<double> breakeven_steps;
  std::optional<double> breakeven_ci95_low;
  std::optional<double> breakeven_ci95_high;
  std::optional<NoBreakeven> no_breakeven;
  std::optional<double> setup_cost_seconds;  // the cost that break-even pays back: the median over launches
  // The cost that a process pays once: how much longer the first warmups and setups of all the task's batches
  // took together than later ones. It is the same in all its cells; absent: no longer, or not known.
  std::optional<double> setup_once_seconds;
  // Steps, warmups included, after which latency is within 2 % of its steady median; absent: not seen.
  std::optional<std::int64_t> steady_after;
  std::optional<double> submit_over_floor;  // submit p50 over the least cost of its launches
  // Only the eager cell of a foreign step has these, without a capture: the share of its latency in which its
  // device idles (absent: none), and the predicted gain of one graph (StepRecords).
  std::optional<double> launch_bound;
  std::optional<double> predicted_gain;
};

// Whether the interval of a gain holds 1, so that there may be none at all.
inline bool may_be_no_gain(std::optional<double> ci95_low, std::optional<double> ci95_high) {
  return ci95_low && *ci95_low <= 1 && *ci95_high >= 1;
}
inline bool may_be_no_gain(const CellSummary& summary) {
  return may_be_no_gain(summary.speedup_ci95_low, summary.speedup_ci95_high);
}

// The forward program on the parameters that the check's steps have left (--evaluate).
struct Evaluation {
  std::int64_t ops;
  std::int64_t pieces;
  std::int64_t eager_ops;
  bool identical;  // its outputs are eager's, bit for bit
  std::optional<Summary> latency_seconds;
};
struct Training {
  facts::TrainingFacts program;
  std::optional<std::int64_t> peak_bytes;  // the most bytes of activations and gradients at one time
  // Device time of the phases of a step, in a pass of its own; absent if a graph holds several of them.
  std::optional<double> forward_seconds;
  std::optional<double> backward_seconds;
  std::optional<double> optimizer_seconds;
  std::optional<double> step_seconds;  // median of the same steps
  std::vector<Reason> breaks;          // gradients that no graph can hold, one of each kind
  std::optional<Evaluation> evaluation;
};

// A step of --shape-trace, and the parts that had to be made for it.
struct TracedStep {
  std::int64_t id;        // from 1, in the order of the file
  std::string signature;  // signature of its program, which serves every batch size: "b* s128", "b*"
  std::int64_t batch;
  std::int64_t ops;                     // of the program
  std::string outcome;                  // "traced", "program_hit", "graph_hit", "recorded_again"
  std::string reason;                   // why something had to be made; empty if nothing had to
  double seconds;                       // host time from asking for the step until it was submitted
  std::optional<double> trace_seconds;  // the part of the time for building and rewriting the program
};
// The walk over a trace of shapes. Once per task, with its largest batch.
struct ShapeWalk {
  std::int64_t programs_max;
  std::int64_t recordings_max;
  std::int64_t programs;    // kept at the end
  std::int64_t recordings;  // recordings of paths that were made
  std::int64_t generations;
  std::int64_t pool_bytes;
  // Medians of submitting one recorded path: looked up first, and by itself. Absent: no step had everything.
  std::optional<double> hit_seconds;
  std::optional<double> replay_seconds;
  std::vector<TracedStep> traces;
};

// A device that is not the result's own, but of one fingerprint with it.
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
  std::optional<CacheUse> cache;          // absent if nothing is kept
  std::optional<PackageUse> package;      // present in a sweep with --package
  std::vector<std::string> rewrites;      // changes that the requested passes made to its program
  std::string fallback;                   // the mode it ran in instead of its own; empty: its own
  std::optional<Reason> fallback_reason;  // why
  std::optional<bool> tuned;              // with --tune-sizes: its size has library choices of its own
  std::vector<OpPath> paths;
  std::vector<Launch> launches;
  CellSummary summary;
  std::optional<Profile> profile;              // from the last launch that was profiled
  std::optional<StepRecords> records;          // from the last launch, if a foreign step ran on a GPU
  std::map<std::string, std::string> library;  // facts that a foreign step's library reports, by its names
  bool resumed;  // launches of it were measured before an interruption, and taken over
  std::optional<MeasuredOn> measured_on;  // the device that measured them, if it was another one
  std::optional<std::int64_t> shard;      // in a merged result: the shard that measured it
};

// Adds the choices of one worker to those of a sweep, in the order of keys and algorithms. A key has several
// algorithms if workers chose differently. A worker's choice is not a hit of later workers.
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
  std::optional<InstrumentState> profiler;  // instrument of profiles and of foreign steps' records
  std::optional<InstrumentState> monitor;   // instrument that reads clocks and temperatures
  // our variables that change what is measured, if they are set
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
  std::map<std::string, std::vector<std::string>> more_axes = {};  // later axes that are not at their default
};

// The facts about an A/B run: launch i ran right beside launch i of the result with the same id.
struct Interleaved {
  std::string id;
  std::string side;  // "base", "new"
  // A run until decided has these: the launches per side after which it was looked at, and their final
  // number.
  std::vector<std::int64_t> looks = {};
};

// Which part of its plan a sweep measured.
struct ShardFacts {
  std::int64_t index = 1;  // from 1 to count
  std::int64_t count = 1;
  std::string by;          // "task", "replica"
  std::string assignment;  // digest of every shard's cells, of launches, seed, plugins and binary
  // The preset of each workload, if they differ, so that a merge knows every cell of the plan.
  std::map<std::string, std::string> presets = {};
};

// The version of the measuring method: see docs/reference/measuring.md. The number of placements per launch
// is not part of it, because the estimated quantity is the same.
inline constexpr std::int64_t measuring_method = 3;

struct PlanFacts {
  std::int64_t method = measuring_method;
  std::string hash;
  std::vector<std::string> argv;
  std::int64_t seed = 1;
  std::int64_t launches = 1;
  bool cold_l2 = false;         // the device's cache was flushed before every timed step
  bool profile = false;         // each cell was profiled afterwards
  bool cell_processes = false;  // in an A/B run: each cell of a task was measured in a process of its own
  std::optional<Interleaved> interleaved;
  std::map<std::string, std::string> caller = {};  // CallerOptions that are not at their default
  Axes axes;
  std::vector<Axes> more_grids = {};  // each multiplied out; a cell of two grids is the first one's
  std::optional<ShardFacts> shard = {};
  std::string concurrent = {};  // "cuda:0, cuda:1": measured at one time, this device among them
};

// One of the shards that a result was merged from.
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
  std::vector<MergedShard> shards = {};  // of a merged result
  std::vector<CellResult> cells;
};

}  // namespace graphbench::model
