// The data of a ladder of captured sizes that served traffic: `ladders[]` of the result document. Sizes and
// rows are in units of the batch, times in seconds, memory in bytes. An absent optional is not known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ladder/traffic.hpp"
#include "harness/model/result.hpp"

namespace graphbench::ladder {

enum class LadderPad : std::uint8_t { up, none };
enum class LadderBeyond : std::uint8_t { eager, split, refuse };
enum class CaptureOrder : std::uint8_t { largest, smallest };
enum class CaptureWhen : std::uint8_t { startup, lazy };
enum class MutatedInputs : std::uint8_t { refuse, copy_back };
enum class ExecOf : std::uint8_t { own, shared, one_switch };
enum class WarmupBy : std::uint8_t { capture, requests };

struct LadderPolicy {
  LadderPad pad = LadderPad::up;  // up: a step runs in the smallest captured size that is large enough
  LadderBeyond beyond = LadderBeyond::eager;   // for steps that are larger than every captured size
  CaptureOrder order = CaptureOrder::largest;  // which size is captured first
  CaptureWhen when = CaptureWhen::startup;     // lazy: a size is captured by the first request that needs it
  MutatedInputs mutated_inputs = MutatedInputs::refuse;  // for programs that write their inputs
  // requests: in a lazy ladder, a size's first requests run eagerly and count as the size's warmups
  WarmupBy warmup_by = WarmupBy::capture;
  // shared: sizes whose graphs differ only in parameters share one exec, updated when the size changes
  // one_switch: all sizes are arms of one graph; a value on the device selects the arm that runs
  ExecOf exec = ExecOf::own;
  // So many sizes keep their graphs between steps. When a step that captured another one has ended, the graph
  // of the size whose last use is the longest ago is destroyed. 0: no limit.
  std::int64_t graphs_max = 0;
  friend bool operator==(const LadderPolicy&, const LadderPolicy&) = default;
};

// Each step counts in exactly one of these numbers.
struct LadderSteps {
  std::int64_t exact = 0;
  std::int64_t padded = 0;
  // Ran eagerly below the largest captured size: policy `pad none` does not pad them, or mode best found
  // eager faster.
  std::int64_t eager_below = 0;
  std::int64_t eager_beyond = 0;
  std::int64_t captured_now = 0;  // waited for the capture of its size (lazy ladders)
  std::int64_t warming = 0;       // ran eagerly as a warmup of its size
  friend bool operator==(const LadderSteps&, const LadderSteps&) = default;
};

struct LadderPadding {
  std::int64_t rows = 0;
  std::int64_t graph_rows = 0;
  double waste = 0;  // rows / graph_rows; 0 if nothing ran in graphs
  // Extra time of padded steps over graphs of exactly their rows, interpolated between captured sizes.
  std::optional<double> seconds = {};
};

// The captures that steps waited for.
struct LadderStalls {
  std::int64_t count = 0;
  double seconds = 0;
  double longest_seconds = 0;
};

// The extra time of a captured size's first request, compared with the size's median step. Includes the
// capture if the request waited for it. The members are statistics over the sizes that were used.
struct FirstRequests {
  std::int64_t count = 0;
  double p50_seconds = 0;
  double max_seconds = 0;
  double seconds = 0;  // the sum
  // For each size, the 90th percentile of its step times minus their median. This is the median over sizes.
  double noise_seconds = 0;
};

// With --tune-sizes: runs in sizes with their own library choices, and runs in sizes that share one choice.
struct LadderTuning {
  std::int64_t tuned_captured = 0;
  std::int64_t tuned_eager = 0;
  std::int64_t general_captured = 0;
  std::int64_t general_eager = 0;
};

// With --exec shared or switch. An update changes an exec to another size: a switch gets the size's number.
struct LadderExecs {
  std::int64_t groups = 0;                  // groups of captured sizes that share one exec
  std::int64_t updates = 0;                 // updates that steps waited for
  std::optional<double> update_seconds;     // median; absent: no two sizes share an exec
  std::optional<std::int64_t> bytes_saved;  // memory of execs that sharing avoids; absent: not known
};

// With --graphs-max: sizes whose graphs were destroyed, with the tensors that a foreign step has for them.
struct LadderEvictions {
  std::int64_t count = 0;
  double seconds = 0;               // the sum, between steps
  std::int64_t returned_bytes = 0;  // how much more of the device's memory was free afterwards; the sum
};

struct LadderMemory {
  std::int64_t pool_bytes = 0;             // the pool that all captured sizes share
  std::optional<std::int64_t> exec_bytes;  // all execs; absent if one of them is not known
  // weights, inputs, state; of a foreign step, the inputs and state with rows of the batch, at all sizes that
  // are open
  std::int64_t static_bytes = 0;
  std::int64_t workspace_bytes = 0;
  std::optional<std::int64_t> line_bytes;  // pool and execs, extrapolated from the first two captures
  std::optional<std::int64_t> exec_resolution_bytes = {};  // smallest meaningful difference of exec_bytes
  // the new weights that a foreign step's build makes for each size, at all sizes that are open
  std::optional<std::int64_t> new_weights_bytes = {};
};

struct RowCount {
  std::int64_t rows = 0;
  std::int64_t count = 0;
  friend bool operator==(const RowCount&, const RowCount&) = default;
};

struct LadderSize {
  std::int64_t size = 0;
  std::int64_t uses = 0;            // replays for callers; a step in parts has several
  std::int64_t warmups = 0;         // requests that ran eagerly as the size's warmups
  std::vector<RowCount> rows = {};  // replays by the number of caller's rows, ascending
  model::Setup setup = {};
  std::optional<double> step_seconds = {};   // median calibration step of exactly this size, with copies
  std::optional<double> eager_seconds = {};  // the same steps run eagerly, without copies
  // Mean latency, over all placements, of steps that ran only in this size and waited for no capture.
  std::optional<double> served_seconds = {};
  // Latency of the first step in this size; includes the capture if the step waited for it. Absent if no step
  // used the size, or if this step was split.
  std::optional<double> first_request_seconds = {};
  // Replays whose gain over eager repays the last placement's warmups and setup; absent: never or unknown.
  std::optional<double> breakeven_steps = {};
  // Memory that one more exec of the size's graphs takes, and its resolution; absent if not reported.
  std::optional<std::int64_t> exec_bytes = {};
  std::optional<std::int64_t> exec_resolution_bytes = {};
  std::optional<std::int64_t> pool_bytes = {};  // the pool if only this size is captured
  std::optional<model::Reason> dropped = {};
  // The size's mode in a ladder of mode "best"; else empty. Steps of an eager size are counted in
  // LadderLaunch::eager.
  std::string mode = {};
};

struct LadderEager {
  std::int64_t rows = 0;
  std::int64_t uses = 0;
  std::optional<double> step_seconds = {};
  std::optional<double> served_seconds = {};  // mean latency of its steps, over all placements
};

// One placement of a launch: the median latency and submission of its steps, and the sum of latencies.
struct LadderPlacement {
  double latency_seconds = 0;
  double submit_seconds = 0;
  double busy_seconds = 0;
  friend bool operator==(const LadderPlacement&, const LadderPlacement&) = default;
};

// Every placement serves all steps. Medians, busy_seconds and the sizes' medians are geometric means over
// placements. Percentiles above p50 are over the steps of all placements. Counts are of one placement.
// Setups, start-up, stalls and first requests are of the first placement.
struct LadderLaunch {
  std::int64_t index = 0;
  model::Startup startup{};
  LadderSteps steps;
  std::int64_t split_steps = 0;  // steps in parts; `steps` counts each by its last part
  double hit_rate = 0;           // share of exact and padded steps
  LadderPadding padding;
  LadderStalls stalls;
  std::optional<FirstRequests> first_requests;  // absent: no request ran in a graph
  LadderMemory memory;
  std::optional<model::Summary> latency_seconds;
  // from the step's start until copies, padding and launches are enqueued
  std::optional<model::Summary> submit_seconds;
  std::optional<model::Summary> wait_seconds;  // from the intended arrival to the start; with arrivals only
  std::optional<model::Summary> response_seconds;  // from the intended arrival to the end; with arrivals only
  double rows_per_second = 0;                      // callers' rows over the sum of latencies
  double busy_seconds = 0;                         // the sum of latencies
  // busy_seconds predicted from the calibration's medians, without stalls
  std::optional<double> predicted_seconds;
  std::vector<LadderSize> sizes;            // ascending
  std::vector<LadderEager> eager;           // ascending
  std::vector<LadderPlacement> placements;  // in the order of measuring
  std::optional<LadderTuning> tuning;
  std::optional<LadderExecs> execs;
  std::optional<LadderEvictions> evictions;
};

struct LadderSummary {
  std::optional<model::Estimate> latency_seconds;
  std::optional<model::Estimate> submit_seconds;
  std::optional<model::Estimate> busy_seconds;
  // busy_seconds of a rival under the same traffic, divided by this ladder's busy_seconds. By rival:
  std::optional<double> over_eager;               // every step eager
  std::optional<double> over_every;               // every size of the traffic captured
  std::optional<double> over_engine;              // --engine-sizes
  std::map<std::string, double> over_modes = {};  // mode "best": the same sizes in one mode
};

// The number of steps of one runtime mode in a vLLM log.
struct TrafficMode {
  std::string mode;
  std::int64_t count = 0;
  bool served = true;  // false: --traffic-mode leaves the mode out
  friend bool operator==(const TrafficMode&, const TrafficMode&) = default;
};

struct LadderTraffic {
  std::string name;    // as the user gave it
  std::string digest;  // digest of the steps and their arrivals
  std::int64_t steps = 0;
  std::int64_t rows = 0;
  std::int64_t sizes = 0;      // number of different sizes
  std::optional<double> rate;  // --arrivals, in steps per second
  bool arrivals = false;       // true: steps have arrival times; false: each follows the previous step
  std::vector<TrafficMode> modes = {};  // runtime modes, if the traffic is a vLLM log
  std::string note;                     // how coarse a file is, and what of it is left out
};

struct Ladder {
  std::string id;
  model::Cell cell;  // its batch is the largest captured size; 0: none
  // "eager", "every", "engine", or a RivalList's name: a rival under the same traffic; "startup", "lazy": a
  // rival with the same sizes, captured at that time; "suggested"; "best": has several modes
  std::string role = "asked";
  std::vector<std::string> also;  // further roles of this ladder: an equal ladder is not planned again
  std::vector<std::int64_t> sizes;
  LadderPolicy policy;
  LadderTraffic traffic;
  model::CellStatus status = model::CellStatus::pending;
  std::optional<model::Reason> reason;
  std::optional<model::Check> check;  // isolation of padding; absent if no step could be padded
  std::vector<LadderLaunch> launches;
  LadderSummary summary;
};

// What the graphs of a launch keep: the pool and the execs.
inline std::int64_t graph_bytes(const LadderLaunch& launch) {
  return launch.memory.pool_bytes + launch.memory.exec_bytes.value_or(0);
}

inline bool is_rival(const Ladder& ladder) {
  return ladder.role != "asked" && ladder.role != "suggested" && ladder.role != "best";
}

// The best step time that is possible with a number of sizes.
struct FrontierPoint {
  std::int64_t sizes = 0;
  double step_seconds = 0;                  // the mean over the traffic's steps
  std::vector<std::int64_t> captured = {};  // these sizes
};

// A list of sizes that the suggested one is held against: "powers" (of two, as many), an engine's default by
// the engine's name, or "engine" (--engine-sizes). Its sizes are those that the traffic needs.
struct RivalList {
  std::string name;
  std::vector<std::int64_t> sizes = {};
  std::optional<double> step_seconds = {};           // predicted; absent: a size is beyond the measured ones
  bool beyond_budget = false;                        // then it may be faster
  std::optional<double> verified_step_seconds = {};  // mean of the served steps
  std::optional<double> over = {};                   // its served time over the suggestion's
  std::optional<double> over_ci95_low = {};
  std::optional<double> over_ci95_high = {};
};
std::string words_of(const RivalList& rival);

// A suggestion as a serving engine's own setting.
struct EngineFlag {
  std::string engine;
  std::string flag = {};
  std::string none = {};  // why there is no flag
};

// `--suggest`: within budgets, the ladder with the least step time, as a mean over the traffic's steps.
struct Suggestion {
  model::Cell cell;  // the measured cell; its batch is the largest size
  std::string from;  // a file, or the id of the measured ladder
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> interpolated;  // the sizes that count as the next larger measured one
  double step_seconds = 0;                 // predicted
  // predicted, if all steps run eagerly; what was not measured counts as the next smaller size, so that no
  // gain is too large
  double eager_step_seconds = 0;
  double startup_seconds = 0;                   // to prepare and capture all sizes
  std::optional<double> memory_bytes = {};      // the pool and the execs; absent: not known
  std::optional<double> memory_max_bytes = {};  // the budget
  // a point for each number of sizes that gives shorter steps than all smaller numbers
  std::vector<FrontierPoint> frontier;
  std::vector<std::int64_t> few = {};  // the fewest sizes within 2 % of the best; empty: `sizes` are
  std::vector<RivalList> rivals = {};
  std::string trust = {};                       // why the measurements are little trusted; empty: they are
  std::string verified_by;                      // id of the ladder that served these sizes; empty: none
  std::optional<double> verified_step_seconds;  // mean of the served steps
  std::optional<double> verified_memory_bytes = {};  // the pool and the execs where these sizes were served
  std::string eager = "graphbench";                  // the program whose eager steps are the comparison
  std::optional<double> eager_verified_step_seconds = {};
  std::optional<double> over_eager = {};  // eager's served time over the suggestion's; from 3 launches on
  std::optional<double> over_eager_ci95_low = {};
  std::optional<double> over_eager_ci95_high = {};
  std::string no_suggestion = {};      // why no ladder is suggested; empty if one is
  std::string note = {};               // of the traffic, where no ladder serves it
  std::vector<EngineFlag> flags = {};  // for the engines that were asked for; empty if nothing is suggested
  Trace trace = {};                    // the steps that it is for
};

struct BestSize {
  std::int64_t size = 0;
  std::string mode;
  double step_seconds = 0;
  double margin = 0;                      // 0.1: the second fastest mode takes 10 % longer
  std::optional<double> over_eager = {};  // eager's time over the fastest graph mode's
};

struct BestModes {
  model::Cell cell;             // its mode is "best", its batch the largest size
  std::vector<BestSize> sizes;  // ascending
  // From this size on, graphs gain less than 2 % at each measured size; absent if they gain at the largest.
  std::optional<std::int64_t> no_gain_from;
  // the same in tokens, for workloads whose sequences have tokens
  std::optional<std::int64_t> no_gain_from_tokens;
};

struct ClosedPoint {
  double batch = 0;
  double step_seconds = 0;
  bool captured = false;  // false: its steps run eagerly
};

// `--closed`: the batches that requests form, if steps take as long as they were measured to take.
struct Closed {
  model::Cell cell;                            // its batch is the largest captured size
  std::string from;                            // where the step times come from, as of a suggestion
  std::string traffic;                         // as the user gave it
  std::string note = {};                       // of the traffic
  double rate = 0;                             // requests per second
  double tokens = 0;                           // of a request, which are its steps; the mean
  std::optional<double> prefill_seconds = {};  // absent: decode only
  std::int64_t most = 0;                       // requests at once
  // Batches that keep their size, ascending: from empty the first, from full the last, unless `none` says why
  // from full there is none.
  std::vector<ClosedPoint> points = {};
  std::string none = {};
  std::optional<double> hit_rate = {};  // share of steps in captured sizes, from empty; absent: no answer
};

struct LadderFindings {
  std::vector<Ladder> ladders;
  std::vector<Closed> closed = {};
  std::vector<Suggestion> suggestions;
  std::vector<BestModes> best;
};

// A result document with the lists of ladders after the cells. Leaves out empty lists.
std::string ladders_to_json(const model::Result& result, const LadderFindings& findings);

// The lists of a document that ladders_to_json() wrote. Throws the exceptions of read_result().
LadderFindings read_findings(std::string_view text, const std::string& source);

// What a ladder or a suggestion comes to, in one sentence; empty for a ladder without launches.
std::string sentence_of(const Ladder& ladder);
std::string sentence_of(const Suggestion& made);
std::string sentence_of(const Closed& closed);

}  // namespace graphbench::ladder
