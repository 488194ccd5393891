// The JSON form of a result and its parts, for the document `graphbench.result/1` and for messages between
// graphbench and its workers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "graphs/base/digest.hpp"
#include "harness/model/codec/description.hpp"
#include "harness/model/codec/instrument_fields.hpp"
#include "harness/model/codec/json_reader.hpp"
#include "harness/model/codec/json_writer.hpp"
#include "harness/model/findings/findings.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::model {

// The names that are read. StatusField writes name_of(), which is "skipped" for a pending cell.
GB_NAMES(CellStatus, "pending", "ok", "skipped", "failed");
GB_NAMES(NoBreakeven, "never", "not told apart", "eager not swept", "no graph");
static_assert(Names<NoBreakeven>::names.size() == static_cast<std::size_t>(NoBreakeven::no_graph) + 1);
GB_NAMES(LaunchBoundBy, "records", "whole");

GB_DESCRIBE(Cell, workload, preset, dtype, pass, batch, warmup, mode, (LaterAxes<T>()));

template <>
struct Description<Summary> {
  using T = Summary;
  static constexpr auto fields = std::tuple(
      field("count", &T::count), field("min", &T::min), field("p50", &T::p50),
      interval("p50_ci95", &T::p50_ci95_low, &T::p50_ci95_high), field("p90", &T::p90), field("p99", &T::p99),
      field("p999", &T::p999), field("max", &T::max), field("mean", &T::mean), field("stddev", &T::stddev));
  // `count` starts at 1, because documents without a count must not look like summaries without samples.
  static T unread() {
    constexpr double absent = std::numeric_limits<double>::quiet_NaN();
    T summary{};
    summary.count = 1;
    summary.min = summary.p50 = summary.max = summary.mean = absent;
    return summary;
  }
  static bool can_be_written(const T& summary) {
    return std::isfinite(summary.min) && std::isfinite(summary.p50) && std::isfinite(summary.max) &&
           std::isfinite(summary.mean);
  }
};

template <>
struct Description<Estimate> {
  using T = Estimate;
  static constexpr auto fields =
      std::tuple(field("p50", &T::p50), interval("ci95", &T::ci95_low, &T::ci95_high),
                 field("between_launches", &T::between_launches), field("within_launch", &T::within_launch));
  static T unread() {
    T estimate{};
    estimate.p50 = std::numeric_limits<double>::quiet_NaN();
    return estimate;
  }
  static bool can_be_written(const T& estimate) { return std::isfinite(estimate.p50); }
};

GB_DESCRIBE(Opening, (later, build_seconds), (later, compile_seconds), (later, record_seconds),
            (later, open_seconds));
GB_DESCRIBE(CompiledPiece, part, compile_seconds, (later, compiled_from));
GB_DESCRIBE(Setup, prepare_seconds, warmup_seconds, capture_seconds, instantiate_seconds, upload_seconds,
            first_step_seconds, (later, break_seconds), (inlined(&T::opening)), (later, compiled_from),
            (later, compiled_pieces));
GB_DESCRIBE(Startup, process_seconds, plugin_seconds, module_seconds, context_seconds, weights_seconds,
            prepare_seconds, warmup_seconds, capture_seconds, instantiate_seconds, upload_seconds,
            first_step_seconds, (later, break_seconds), (inlined(&T::opening)));
GB_DESCRIBE(facts::GraphContents, nodes);
GB_DESCRIBE(facts::GraphCounts, pieces, (inlined(&T::contents)), captured_ops, eager_ops, rewritten_nodes);
GB_DESCRIBE(facts::Reason, code, message);
GB_DESCRIBE(facts::Io, copies, copy_bytes, copies_kept, kernel_nodes_set, copy_nodes_set, pieces_touched,
            set_execs, recordings, updates, updates_refused, instantiations, steps, (later, refused));
GB_DESCRIBE(Counters, programs, pieces, capturable, captured, instantiated, updated, compilations, skips);
GB_DESCRIBE(PackageUse, bytes, weights_bytes, load_seconds, verify_seconds, first_step_seconds, staging_bytes,
            (later, plans), (later, low_memory));
GB_DESCRIBE(facts::CacheUse, hits, misses, refused, bytes, seconds_saved);
GB_DESCRIBE(PeakBytes, build, load, between_methods);
GB_DESCRIBE(Memory, weights_bytes, pool_bytes, pool_bytes_private, pool_bytes_own, used_bytes, context_bytes,
            code_bytes, static_bytes, workspace_bytes, pool_in_use_bytes_max, exec_bytes, weights_bytes_max,
            tuning_bytes_max, unaccounted_bytes, (later, witness), (later, peak_bytes), (later, graphs_bytes),
            (later, exec_resolution_bytes));
GB_DESCRIBE(CellSummary, submit_seconds, latency_seconds, device_seconds, speedup_over_eager, breakeven_steps,
            steady_after, (later, submit_over_floor), (later, launch_bound), (later, predicted_gain),
            (interval("speedup_over_eager_ci95", &T::speedup_ci95_low, &T::speedup_ci95_high)),
            (interval("breakeven_steps_ci95", &T::breakeven_ci95_low, &T::breakeven_ci95_high)),
            (later, throughput_over_eager),
            (interval("throughput_over_eager_ci95", &T::throughput_ci95_low, &T::throughput_ci95_high)),
            (later, no_breakeven), (later, setup_cost_seconds), (later, setup_once_seconds),
            (later, launch_bound_by), (later, graphed), (later, startup_seconds),
            (interval("startup_seconds_ci95", &T::startup_ci95_low, &T::startup_ci95_high)),
            (later, break_latency_seconds), (later, break_submit_seconds),
            (interval("break_latency_seconds_ci95", &T::break_latency_ci95_low, &T::break_latency_ci95_high)),
            (interval("break_submit_seconds_ci95", &T::break_submit_ci95_low, &T::break_submit_ci95_high)));

// Writes the latencies of the first steps, which show if warmups were too few. A document has no other
// samples.
struct Ramp {
  using Holds = std::vector<double>;
  static constexpr std::size_t samples_max = 32;

  std::optional<Json> write(const Launch& launch) const {
    const auto& samples = launch.latency_samples;
    const auto end = samples.begin() + static_cast<std::ptrdiff_t>(std::min(samples.size(), samples_max));
    return JsonWriter(Form::document).write(std::vector<double>(samples.begin(), end));
  }
  void read(JsonWalk& walk, JsonWalk::Value value, Launch& launch) const {
    JsonReader(walk).read(value, launch.latency_samples);
  }
};

GB_DESCRIBE(Sustained, latency_seconds, device_seconds, sm_clock_hz, power_watts, seconds_to_steady,
            stopped_by);
GB_DESCRIBE(LaunchPlacement, latency_samples, device_samples, submit_seconds, latency_seconds, device_seconds,
            throughput_steps_per_second);
GB_DESCRIBE(RankTimes, skew_seconds, submit_seconds);
GB_DESCRIBE(WithinLaunch, submit_spread, latency_spread, device_spread, steady_step);
GB_DESCRIBE(MeasuredOn, hostname, (text, uuid));
GB_DESCRIBE(
    Launch, index, setup, submit_seconds, latency_seconds, device_seconds, throughput_steps_per_second,
    (group("stopped_by", text_field("latency", &T::latency_stopped_by),
           text_field("device", &T::device_stopped_by), text_field("throughput", &T::throughput_stopped_by))),
    (later, placements), (computed_field<Ramp>("ramp_seconds", false)), (later, sustained), (later, ranks),
    (later, restore_seconds), (later, machine), (later, setups), (later, startup), (later, worker_seconds),
    (later, measured_unix_seconds), (message, within), (message, submit_samples), (message, latency_samples),
    (message, device_samples), (message, latency_started_ns), (message, device_started_ns));
GB_DESCRIBE(CheckedState, count, bytes, names, generators, before_steps, before_steps_bytes, without_copy);
GB_DESCRIBE(CheckedInputs, renewed, kept_because, changed_outputs, build_seconds);
GB_DESCRIBE(Check, reference, identical, max_abs_error, (later, tolerated), (later, state), (later, inputs),
            (later, remarks));
GB_DESCRIBE(OpPath, path, ops, (text, fallback));
GB_DESCRIBE(facts::TrainingOps, forward, backward, accumulate, optimizer, removed);
GB_DESCRIBE(Evaluation, ops, pieces, eager_ops, identical, latency_seconds);
GB_DESCRIBE(facts::TrainingFacts, ops, saved_bytes, gradient_bytes, optimizer_bytes, (later, copies_skipped));
GB_DESCRIBE(Training, (inlined(&T::program)), (later, peak_bytes), (later, forward_seconds),
            (later, backward_seconds), (later, optimizer_seconds), (later, step_seconds), (later, breaks),
            (later, evaluation));
GB_DESCRIBE(TracedStep, id, signature, batch, ops, outcome, (later, reason), seconds, (later, trace_seconds));
GB_DESCRIBE(ShapeWalk, programs_max, recordings_max, programs, recordings, generations, pool_bytes,
            hit_seconds, replay_seconds, traces);

struct CellId {
  std::optional<Json> write(const CellResult& cell) const { return Json(id_of(cell.cell)); }
};

template <typename T>
struct StatusField {
  std::optional<Json> write(const T& of) const { return Json(name_of(of.status)); }
  void read(JsonWalk& walk, JsonWalk::Value value, T& of) const { JsonReader(walk).read(value, of.status); }
};

// Returns the reason why a cell is not ok. Makes a reason if none was recorded.
template <typename T>
Reason written_reason_of(const T& of) {
  if (of.reason) return *of.reason;
  if (of.status == CellStatus::pending)
    return {"interrupted", "the sweep ended before this cell was measured"};
  return {"internal", "no reason was recorded"};
}

template <typename T>
struct ReasonField {
  std::optional<Json> write(const T& of) const {
    if (of.status == CellStatus::ok) return std::nullopt;
    return JsonWriter(Form::document).write(written_reason_of(of));
  }
  void read(JsonWalk& walk, JsonWalk::Value value, T& of) const { JsonReader(walk).read(value, of.reason); }
};

// Earlier documents have numbers and truth values of a library as strings.
struct LibraryFacts {
  static constexpr std::string_view numbers[] = {"NAME"};
  std::optional<Json> write(const CellResult& cell) const {
    if (cell.library.empty()) return std::nullopt;
    Json facts = Json::object();
    for (const auto& [name, fact] : cell.library)
      facts[name] = fact.is_text ? Json(fact.text) : Json::parse(fact.text);
    return facts;
  }
  void read(JsonWalk& walk, JsonWalk::Value value, CellResult& cell) const {
    cell.library.clear();
    walk.each_field(value, [&](std::string_view name, JsonWalk::Value field) {
      auto [text, is_text] = walk.scalar(field);
      cell.library[std::string(name)] = {std::move(text), is_text};
    });
  }
};

GB_DESCRIBE(CellResult, (computed_field<CellId>("id")), (inlined(&T::cell)),
            (custom_field<StatusField<T>>("status")), (custom_field<ReasonField<T>>("reason")), check, graph,
            memory, launches, summary, (later, caller_io), (later, counters), (later, training),
            (later, shape_walk), (later, cache), (later, package), (later, fallback),
            (later, fallback_reason), (later, paths), (later, profile), (later, resumed),
            (later, measured_on), (later, shard), (later, rewrites), (later, records), (later, capture_skips),
            (custom_field<LibraryFacts>("library")), (later, tuned));
GB_DESCRIBE(facts::DeviceFacts, kind, name, (text, uuid), (text, compute_capability), memory_bytes,
            (text, driver), (text, runtime), libraries, (later, pci_bus_id));
GB_DESCRIBE(facts::LibraryChoice, key, algorithm, timed, hit, (later, plan));

// Writes the choices, if any, and a digest of keys and algorithms. Sweeps that ran the same algorithms have
// equal digests.
struct LibraryChoices {
  std::optional<Json> write(const Environment& environment) const {
    if (environment.library_choices.empty()) return std::nullopt;
    std::string text;
    for (const LibraryChoice& choice : environment.library_choices)
      text += choice.key + "\n" + choice.algorithm + "\n";
    return Json({{"digest", sha256_hex(text)},
                 {"entries", JsonWriter(Form::document).write(environment.library_choices)}});
  }
  void read(JsonWalk& walk, JsonWalk::Value value, Environment& environment) const {
    walk.each_field(value, [&](std::string_view key, JsonWalk::Value field) {
      if (key != "entries") return walk.skip(field);
      JsonReader(walk).read(field, environment.library_choices);
    });
  }
};

GB_DESCRIBE(Environment, hostname, os, cpu, cores, device, fingerprint, (later, machine), (later, monitor),
            (later, profiler), (later, floors), (later, variables),
            (custom_field<LibraryChoices>("library_choices")), (later, no_gpu));
GB_DESCRIBE(Axes, workload, preset, dtype, pass, batch, warmup, mode, (LaterAxes<T>()));
GB_DESCRIBE(Interleaved, id, side, (later, looks));
GB_DESCRIBE(ShardFacts, index, count, by, assignment, (later, presets));
GB_DESCRIBE(PlanFacts, hash, argv, seed, launches, axes, method, (later, gains), (later, cold_l2),
            (later, profile), (later, cell_processes), (later, interleaved), (later, caller),
            (later, more_grids), (later, shard), (later, concurrent), (later, without_effect),
            (later, time_per_cell));
GB_DESCRIBE(MergedShard, index, started_at, finished_at, environment);

struct CacheTotal {
  using Holds = CacheUse;
  std::optional<Json> write(const Result& result) const {
    std::optional<CacheUse> total;
    for (const CellResult& cell : result.cells) {
      if (!cell.cache) continue;
      if (!total) total.emplace();
      add(*total, *cell.cache);
    }
    return total ? std::optional(JsonWriter(Form::document).write(*total)) : std::nullopt;
  }
};

GB_DESCRIBE(ShownNumber, name, mode, batch, text, interval);
GB_DESCRIBE(Conclusion, subject, code, text, cells, figures, label, shown);
GB_DESCRIBE(Note, code, text, cells);

// Conclusions or notes: computed from the result whenever a document is written, and never read back.
template <auto find>
struct Findings {
  using Holds = std::invoke_result_t<decltype(find), const Result&>;
  std::optional<Json> write(const Result& result) const {
    const auto found = find(result);
    return found.empty() ? std::nullopt : std::optional(JsonWriter(Form::document).write(found));
  }
};

// The description lacks the schema's name and the cells, which documents.cpp writes.
GB_DESCRIBE(Result, (group("tool", field("version", &T::tool_version), field("commit", &T::tool_commit))),
            started_at, (text, finished_at), complete, environment, plan, (later, shards),
            (computed_field<CacheTotal>("cache")), (computed_field<Findings<conclusions_of>>("conclusions")),
            (computed_field<Findings<notes_of>>("notes")), (left_out, cells), (left_out, trust_elsewhere));
GB_DESCRIBE(SamplingBounds, seconds_max, samples_max);
GB_DESCRIBE(CallerOptions, addresses, mutated_inputs, on_skip, capture_stream, check_addresses, tune_sizes,
            dump_graph);
GB_DESCRIBE(PackageFiles, file, weights, digest, low_memory);
GB_DESCRIBE(Settings, seed, sampling, plugins, split_ops, caller, package, instruments);
GB_DESCRIBE(WorkerTask, device, workload, preset, dtype, pass, mode, warmup, more_axes, batches, launch,
            options, settings, spawned_ns);

// described_parts.cpp instantiates these templates once, because each takes seconds to compile.
extern template void JsonWriter::put(Json&, const CellResult&) const;
extern template void JsonWriter::put(Json&, const DeviceFacts&) const;
extern template void JsonWriter::put(Json&, const Environment&) const;
extern template void JsonWriter::put(Json&, const WorkerTask&) const;
extern template void JsonReader::read(JsonWalk::Value, CellResult&);
extern template void JsonReader::read(JsonWalk::Value, DeviceFacts&);
extern template void JsonReader::read(JsonWalk::Value, WorkerTask&);
extern template bool JsonReader::read_field(std::string_view, JsonWalk::Value, WorkerTask&);

}  // namespace graphbench::model
