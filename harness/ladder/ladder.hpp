// A ladder of captured sizes that served traffic, as plain data: `ladders[]` of the result document. Sizes
// and rows are units of the batch; times in seconds, memory in bytes; optional means absent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::model {

enum class LadderPad : std::uint8_t { up, none };
enum class LadderBeyond : std::uint8_t { eager, split, refuse };
enum class CaptureOrder : std::uint8_t { largest, smallest };
enum class CaptureWhen : std::uint8_t { startup, lazy };
enum class MutatedInputs : std::uint8_t { refuse, copy_back };
enum class ExecOf : std::uint8_t { own, shared };
enum class WarmupBy : std::uint8_t { capture, requests };

struct LadderPolicy {
  LadderPad pad = LadderPad::up;               // up: a step runs in the smallest captured size that holds it
  LadderBeyond beyond = LadderBeyond::eager;   // how a step runs that is larger than every captured size
  CaptureOrder order = CaptureOrder::largest;  // which size is captured first
  CaptureWhen when = CaptureWhen::startup;     // lazy: a size is captured inside the first request for it
  MutatedInputs mutated_inputs = MutatedInputs::refuse;  // how a program runs that writes its inputs
  // requests: in a lazy ladder the first requests of a size are its warmups, and run eagerly
  WarmupBy warmup_by = WarmupBy::capture;
  // shared: sizes whose graphs have one topology launch one exec, which is updated where the size changes
  ExecOf exec = ExecOf::own;
  friend bool operator==(const LadderPolicy&, const LadderPolicy&) = default;
};

// Each step is counted once.
struct LadderSteps {
  std::int64_t exact = 0;
  std::int64_t padded = 0;
  // No captured size may serve the step, though a larger one exists (pad none), or eager is faster there
  // (mode best).
  std::int64_t eager_below = 0;
  std::int64_t eager_beyond = 0;  // larger than every captured size
  std::int64_t captured_now = 0;  // waited for its size's capture (lazy)
  std::int64_t warming = 0;       // ran eagerly, as a warmup of its size
  friend bool operator==(const LadderSteps&, const LadderSteps&) = default;
};

struct LadderPadding {
  std::int64_t rows = 0;        // rows that belonged to no caller
  std::int64_t graph_rows = 0;  // all rows that ran in graphs
  double waste = 0;             // rows / graph_rows; 0 if nothing ran in graphs
  // The time of padded steps beyond a graph of exactly their rows, by interpolation between captured sizes.
  std::optional<double> seconds = {};
};

// Captures inside a request.
struct LadderStalls {
  std::int64_t count = 0;
  double seconds = 0;
  double longest_seconds = 0;
};

// How much longer the first request of a captured size took than the size's median step, with its capture if
// it waited for that. It covers the sizes that were used.
struct FirstRequests {
  std::int64_t count = 0;
  double p50_seconds = 0;
  double max_seconds = 0;
  double seconds = 0;  // of all together
  // By how much one in ten of a size's later steps exceeds their median; the median over the sizes.
  double noise_seconds = 0;
};

// With --tune-sizes: runs in sizes with library choices of their own, and in those that share one.
struct LadderTuning {
  std::int64_t tuned_captured = 0;
  std::int64_t tuned_eager = 0;
  std::int64_t general_captured = 0;
  std::int64_t general_eager = 0;
};

// With --exec shared.
struct LadderExecs {
  std::int64_t groups = 0;                  // number of groups of captured sizes that launch one exec
  std::int64_t updates = 0;                 // that steps waited for
  std::optional<double> update_seconds;     // median; absent: no two sizes share
  std::optional<std::int64_t> bytes_saved;  // exec_bytes of sizes that launch another's; absent: not known
};

struct LadderMemory {
  std::int64_t pool_bytes = 0;             // the pool that all captured sizes share
  std::optional<std::int64_t> exec_bytes;  // execs of all captured sizes; absent if one size's is not known
  std::int64_t static_bytes = 0;           // weights, inputs, state
  std::int64_t workspace_bytes = 0;
  std::optional<std::int64_t> line_bytes;  // pool and execs, on a line through the first two captures
  std::optional<std::int64_t> exec_resolution_bytes = {};  // the smallest meaningful difference
};

struct RowCount {
  std::int64_t rows = 0;
  std::int64_t count = 0;
  friend bool operator==(const RowCount&, const RowCount&) = default;
};

struct LadderSize {
  std::int64_t size = 0;
  std::int64_t uses = 0;            // replays for a caller: a step in parts has several
  std::int64_t warmups = 0;         // requests that ran eagerly in it, as its warmups
  std::vector<RowCount> rows = {};  // the callers' rows that ran in it, ascending
  Setup setup = {};
  std::optional<double> step_seconds =
      {};  // median of calibration steps of exactly this size, copies included
  std::optional<double> eager_seconds = {};  // median of the same steps, eagerly, without copies
  // Mean latency of the steps that ran in it alone and waited for no capture, over all placements.
  std::optional<double> served_seconds = {};
  // Latency of the first step that ran in it, with its capture if the step waited for that.
  std::optional<double> first_request_seconds = {};
  // Replays that pay the warmups and the setup of the last placement back; absent: never, or not measured.
  std::optional<double> breakeven_steps = {};
  // The memory of one more exec of its graphs, and the smallest meaningful difference; absent if no driver
  // reports it.
  std::optional<std::int64_t> exec_bytes = {};
  std::optional<std::int64_t> exec_resolution_bytes = {};
  std::optional<std::int64_t> pool_bytes = {};  // memory of a pool for this size alone
  std::optional<Reason> dropped = {};           // why it was not captured
  // In a ladder of mode "best": the size's own. Steps of an eager one are counted in LadderLaunch::eager.
  std::string mode = {};
};

// A size that ran eagerly.
struct LadderEager {
  std::int64_t rows = 0;
  std::int64_t uses = 0;
  std::optional<double> step_seconds = {};
  std::optional<double> served_seconds = {};  // mean latency of its steps, over all placements
};

// The times of one placement of a launch: the p50s of its steps, and the sum of all.
struct LadderPlacement {
  double latency_seconds = 0;
  double submit_seconds = 0;
  double busy_seconds = 0;
  friend bool operator==(const LadderPlacement&, const LadderPlacement&) = default;
};

// Every placement serves all steps. The p50s, busy_seconds and the sizes' medians are geometric means over
// placements. Percentiles above p50 come from all placements' steps together. Counts are those of one
// placement; setups, start-up, stalls and first requests are those of the first.
struct LadderLaunch {
  std::int64_t index = 0;
  Startup startup{};
  LadderSteps steps;
  std::int64_t split_steps = 0;  // steps that ran in parts; `steps` counts each by its last part
  double hit_rate = 0;           // share of exact and padded steps
  LadderPadding padding;
  LadderStalls stalls;
  std::optional<FirstRequests> first_requests;  // absent: none ran in a graph
  LadderMemory memory;
  std::optional<Summary> latency_seconds;  // latency of a step, from its start
  // the part of the latency until copies, padding and launches are enqueued
  std::optional<Summary> submit_seconds;
  std::optional<Summary> wait_seconds;      // from the intended arrival to the start; with arrivals only
  std::optional<Summary> response_seconds;  // from the intended arrival to the end; with arrivals only
  double rows_per_second = 0;               // callers' rows over the sum of latencies
  double busy_seconds = 0;                  // the sum of latencies
  // busy_seconds as the calibration's medians predict it, without stalls
  std::optional<double> predicted_seconds;
  std::vector<LadderSize> sizes;            // ascending
  std::vector<LadderEager> eager;           // ascending
  std::vector<LadderPlacement> placements;  // in the order measured
  std::optional<LadderTuning> tuning;
  std::optional<LadderExecs> execs;
};

struct LadderSummary {
  std::optional<Estimate> latency_seconds;
  std::optional<Estimate> submit_seconds;
  std::optional<Estimate> busy_seconds;
  // busy_seconds of this ladder's rivals under the same traffic, over its own.
  std::optional<double> over_eager;               // every step eager
  std::optional<double> over_every;               // every size of the traffic captured
  std::optional<double> over_engine;              // --engine-sizes
  std::map<std::string, double> over_modes = {};  // of mode "best": over the same sizes, all in one mode
};

// How many steps of a runtime mode a log of vLLM has.
struct TrafficMode {
  std::string mode;
  std::int64_t count = 0;
  bool served = true;  // --traffic-mode
  friend bool operator==(const TrafficMode&, const TrafficMode&) = default;
};

struct LadderTraffic {
  std::string name;    // as it was given
  std::string digest;  // digest of the steps and of their arrivals
  std::int64_t steps = 0;
  std::int64_t rows = 0;
  std::int64_t sizes = 0;               // different ones
  std::optional<double> rate;           // --arrivals, in steps a second
  bool arrivals = false;                // steps have a time to arrive at; else each follows the one before it
  std::vector<TrafficMode> modes = {};  // runtime modes of the traffic, if it is a log of vLLM
};

struct Ladder {
  std::string id;
  Cell cell;  // its batch is the largest captured size; 0 if none is
  // "eager", "every", "engine": a rival under the same traffic; "startup", "lazy": the same, captured then;
  // "suggested"; "best": mixes modes
  std::string role = "asked";
  std::vector<std::string> also;  // roles that it has too, because they would be the same ladder
  std::vector<std::int64_t> sizes;
  LadderPolicy policy;
  LadderTraffic traffic;
  CellStatus status = CellStatus::pending;
  std::optional<Reason> reason;
  std::optional<Check> check;  // the check of isolation; absent if nothing could be padded
  std::vector<LadderLaunch> launches;
  LadderSummary summary;
};

// Whether the ladder is a rival, measured only for comparison.
inline bool is_rival(const Ladder& ladder) {
  return ladder.role != "asked" && ladder.role != "suggested" && ladder.role != "best";
}

// The least step time that a number of sizes can give.
struct FrontierPoint {
  std::int64_t sizes = 0;
  double step_seconds = 0;  // the mean over the traffic's steps
};

// `--suggest`: the ladder of least expected step time under a traffic, within budgets. Step times are means
// over the traffic's steps.
struct Suggestion {
  Cell cell;         // the cell that it was made from; its batch is the largest size
  std::string from;  // a file, or the id of the ladder that was measured
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> interpolated;       // the sizes whose times were not measured
  double step_seconds = 0;                      // predicted
  double eager_step_seconds = 0;                // mean of the same steps, all eager
  double startup_seconds = 0;                   // preparing and capturing all sizes
  double memory_bytes = 0;                      // the pool and the execs
  std::optional<double> memory_max_bytes = {};  // the budget
  // a point for each number of sizes that is better than all smaller numbers
  std::vector<FrontierPoint> frontier;
  std::string verified_by;                      // the id of the ladder that ran it; empty: none
  std::optional<double> verified_step_seconds;  // as served
  std::string eager = "graphbench";             // whose eager steps it is compared with
  std::optional<double> eager_verified_step_seconds = {};
  std::optional<double> over_eager = {};  // eager as served over the suggestion as served, from 3 launches on
  std::optional<double> over_eager_ci95_low = {};
  std::optional<double> over_eager_ci95_high = {};
  std::string no_suggestion = {};  // why there is no suggestion; empty if there is one
};

// `--mode best`: the mode that was fastest at a size.
struct BestSize {
  std::int64_t size = 0;
  std::string mode;
  double step_seconds = 0;
  double margin = 0;                      // how much slower the next mode is: 0.1 is a tenth
  std::optional<double> over_eager = {};  // eager over the fastest graph mode
};

struct BestModes {
  Cell cell;                    // its mode is "best", its batch the largest size
  std::vector<BestSize> sizes;  // ascending
  // From this size on graphs gain less than 2 % wherever it was measured; absent if they gain at the largest.
  std::optional<std::int64_t> no_gain_from;
  // the same for tokens, for workloads whose sequences have tokens
  std::optional<std::int64_t> no_gain_from_tokens;
};

// The part of a result that `graphbench ladder` adds.
struct LadderFindings {
  std::vector<Ladder> ladders;
  std::vector<Suggestion> suggestions;
  std::vector<BestModes> best;
};

}  // namespace graphbench::model

namespace graphbench::codec {

// A result document with the lists of ladders behind the cells; empty lists are left out.
std::string to_json(const model::Result& result, const model::LadderFindings& findings);

// The ladders of such a document. Throws as read_result() does.
std::vector<model::Ladder> read_ladders(std::string_view text, const std::string& source);

}  // namespace graphbench::codec
