// The JSON form of a result and its parts: the document `graphbench.result/1`, and what workers are sent and
// send.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/codec/description.hpp"
#include "harness/codec/instrument_fields.hpp"
#include "harness/codec/json_reader.hpp"
#include "harness/codec/json_writer.hpp"
#include "harness/model/digest.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// A cell that is still pending is written as skipped.
template <>
struct Names<model::CellStatus> {
  static constexpr std::array<std::string_view, 4> names = {"pending", "ok", "skipped", "failed"};
};

template <>
struct Description<model::Cell> {
  using T = model::Cell;
  static constexpr auto fields =
      std::tuple(field("workload", &T::workload), field("preset", &T::preset), field("dtype", &T::dtype),
                 field("pass", &T::pass), field("batch", &T::batch), field("warmup", &T::warmup),
                 field("mode", &T::mode), LaterAxes<T>());
};

template <>
struct Description<model::Summary> {
  using T = model::Summary;
  static constexpr auto fields = std::tuple(
      field("count", &T::count), field("min", &T::min), field("p50", &T::p50),
      interval("p50_ci95", &T::p50_ci95_low, &T::p50_ci95_high), field("p90", &T::p90), field("p99", &T::p99),
      field("p999", &T::p999), field("max", &T::max), field("mean", &T::mean), field("stddev", &T::stddev));
  static bool can_be_written(const T& summary) {
    return std::isfinite(summary.min) && std::isfinite(summary.p50) && std::isfinite(summary.max) &&
           std::isfinite(summary.mean);
  }
};

template <>
struct Description<model::Estimate> {
  using T = model::Estimate;
  static constexpr auto fields =
      std::tuple(field("p50", &T::p50), interval("ci95", &T::ci95_low, &T::ci95_high),
                 field("between_launches", &T::between_launches), field("within_launch", &T::within_launch));
  static bool can_be_written(const T& estimate) { return std::isfinite(estimate.p50); }
};

template <>
struct Description<model::Setup> {
  static constexpr auto fields = std::tuple(MetricFields<model::Setup>());
};
template <>
struct Description<model::Startup> {
  using T = model::Startup;
  static constexpr auto fields = std::tuple(
      field("process_seconds", &T::process_seconds), field("plugin_seconds", &T::plugin_seconds),
      field("module_seconds", &T::module_seconds), field("context_seconds", &T::context_seconds),
      field("weights_seconds", &T::weights_seconds), field("prepare_seconds", &T::prepare_seconds),
      field("warmup_seconds", &T::warmup_seconds), field("capture_seconds", &T::capture_seconds),
      field("instantiate_seconds", &T::instantiate_seconds), field("upload_seconds", &T::upload_seconds),
      field("first_step_seconds", &T::first_step_seconds));
};
template <>
struct Description<model::GraphCounts> {
  static constexpr auto fields = std::tuple(MetricFields<model::GraphCounts>());
};
template <>
struct Description<model::Reason> {
  using T = model::Reason;
  static constexpr auto fields = std::tuple(field("code", &T::code), field("message", &T::message));
};
template <>
struct Description<model::Io> {
  static constexpr auto fields =
      std::tuple(MetricFields<model::Io>(), later_field("refused", &model::Io::refused));
};
template <>
struct Description<model::Counters> {
  static constexpr auto fields =
      std::tuple(MetricFields<model::Counters>(), field("skips", &model::Counters::skips));
};
template <>
struct Description<model::PackageUse> {
  static constexpr auto fields =
      std::tuple(MetricFields<model::PackageUse>(), later_field("plans", &model::PackageUse::plans),
                 later_field("addresses", &model::PackageUse::addresses),
                 later_field("addresses_reason", &model::PackageUse::addresses_reason),
                 later_field("low_memory", &model::PackageUse::low_memory));
};

template <>
struct Description<model::CacheUse> {
  static constexpr auto fields = std::tuple(MetricFields<model::CacheUse>());
};
template <>
struct Description<model::CompileStages> {
  static constexpr auto fields = std::tuple(MetricFields<model::CompileStages>());
};
template <>
struct Description<model::CompileUse> {
  static constexpr auto fields =
      std::tuple(field("stages", &model::CompileUse::stages), MetricFields<model::CompileUse>());
};
template <>
struct Description<model::AddressCheck> {
  using T = model::AddressCheck;
  static constexpr auto fields = std::tuple(field("values", &T::values), field("seconds", &T::seconds));
};
template <>
struct Description<model::PeakBytes> {
  using T = model::PeakBytes;
  static constexpr auto fields = std::tuple(field("build", &T::build), field("load", &T::load),
                                            field("between_methods", &T::between_methods));
};
template <>
struct Description<model::Memory> {
  static constexpr auto fields =
      std::tuple(MetricFields<model::Memory>(), later_field("witness", &model::Memory::witness),
                 later_field("peak_bytes", &model::Memory::peak_bytes));
};
template <>
struct Description<model::CellSummary> {
  using T = model::CellSummary;
  static constexpr auto fields = std::tuple(
      MetricFields<T>(), interval("speedup_over_eager_ci95", &T::speedup_ci95_low, &T::speedup_ci95_high),
      interval("breakeven_steps_ci95", &T::breakeven_ci95_low, &T::breakeven_ci95_high));
};

// The first steps after the setup, where too few warmups show: what a document keeps of the samples.
struct Ramp {
  static constexpr std::size_t samples_max = 32;

  std::optional<Json> write(const model::Launch& launch) const {
    const auto& samples = launch.latency_samples;
    const auto end = samples.begin() + static_cast<std::ptrdiff_t>(std::min(samples.size(), samples_max));
    return JsonWriter(Form::document).write(std::vector<double>(samples.begin(), end));
  }
  void read(JsonWalk& walk, JsonWalk::Value value, model::Launch& launch) const {
    JsonReader(walk).read(value, launch.latency_samples);
  }
};

template <>
struct Description<model::Sustained> {
  using T = model::Sustained;
  static constexpr auto fields = std::tuple(MetricFields<T>(), field("stopped_by", &T::stopped_by));
};

template <>
struct Description<model::LaunchPlacement> {
  using T = model::LaunchPlacement;
  static constexpr auto fields =
      std::tuple(field("latency_samples", &T::latency_samples), field("device_samples", &T::device_samples),
                 field("submit_seconds", &T::submit_seconds), field("latency_seconds", &T::latency_seconds),
                 field("device_seconds", &T::device_seconds),
                 field("throughput_steps_per_second", &T::throughput_steps_per_second));
};

template <>
struct Description<model::WithinLaunch> {
  using T = model::WithinLaunch;
  static constexpr auto fields =
      std::tuple(field("submit_spread", &T::submit_spread), field("latency_spread", &T::latency_spread),
                 field("device_spread", &T::device_spread), field("steady_step", &T::steady_step));
};

template <>
struct Description<model::MeasuredOn> {
  using T = model::MeasuredOn;
  static constexpr auto fields = std::tuple(field("hostname", &T::hostname), text_field("uuid", &T::uuid));
};

template <>
struct Description<model::Launch> {
  using T = model::Launch;
  static constexpr auto fields = std::tuple(
      field("index", &T::index), field("setup", &T::setup), MetricFields<T>(),
      group("stopped_by", text_field("latency", &T::latency_stopped_by),
            text_field("device", &T::device_stopped_by), text_field("throughput", &T::throughput_stopped_by)),
      later_field("placements", &T::placements), CustomField<Ramp>{"ramp_seconds", {}, false},
      later_field("sustained", &T::sustained), later_field("machine", &T::machine),
      later_field("setups", &T::setups), later_field("startup", &T::startup),
      later_field("worker_seconds", &T::worker_seconds), message_field("within", &T::within),
      message_field("submit_samples", &T::submit_samples),
      message_field("latency_samples", &T::latency_samples),
      message_field("device_samples", &T::device_samples),
      message_field("latency_started_ns", &T::latency_started_ns),
      message_field("device_started_ns", &T::device_started_ns));
};

template <>
struct Description<model::Check> {
  using T = model::Check;
  static constexpr auto fields =
      std::tuple(field("reference", &T::reference), field("identical", &T::identical),
                 field("max_abs_error", &T::max_abs_error));
};

template <>
struct Description<model::OpPath> {
  using T = model::OpPath;
  static constexpr auto fields =
      std::tuple(field("path", &T::path), field("ops", &T::ops), text_field("fallback", &T::fallback));
};

template <>
struct Description<model::TrainingOps> {
  using T = model::TrainingOps;
  static constexpr auto fields = std::tuple(field("forward", &T::forward), field("backward", &T::backward),
                                            field("accumulate", &T::accumulate),
                                            field("optimizer", &T::optimizer), field("removed", &T::removed));
};

template <>
struct Description<model::Evaluation> {
  using T = model::Evaluation;
  static constexpr auto fields =
      std::tuple(field("ops", &T::ops), field("pieces", &T::pieces), field("eager_ops", &T::eager_ops),
                 field("identical", &T::identical), field("latency_seconds", &T::latency_seconds));
};

template <>
struct Description<model::Training> {
  using T = model::Training;
  static constexpr auto fields = std::tuple(
      field("ops", &T::ops), field("saved_bytes", &T::saved_bytes),
      field("gradient_bytes", &T::gradient_bytes), field("optimizer_bytes", &T::optimizer_bytes),
      later_field("copies_skipped", &T::copies_skipped), later_field("peak_bytes", &T::peak_bytes),
      later_field("skipped_steps", &T::skipped_steps), later_field("forward_seconds", &T::forward_seconds),
      later_field("backward_seconds", &T::backward_seconds),
      later_field("optimizer_seconds", &T::optimizer_seconds), later_field("step_seconds", &T::step_seconds),
      later_field("breaks", &T::breaks), later_field("evaluation", &T::evaluation));
};

template <>
struct Description<model::TracedStep> {
  using T = model::TracedStep;
  static constexpr auto fields =
      std::tuple(field("id", &T::id), field("signature", &T::signature), field("batch", &T::batch),
                 field("ops", &T::ops), field("outcome", &T::outcome), later_field("reason", &T::reason),
                 field("seconds", &T::seconds), later_field("trace_seconds", &T::trace_seconds));
};

template <>
struct Description<model::ShapeWalk> {
  using T = model::ShapeWalk;
  static constexpr auto fields =
      std::tuple(field("programs_max", &T::programs_max), field("recordings_max", &T::recordings_max),
                 field("programs", &T::programs), field("recordings", &T::recordings),
                 field("generations", &T::generations), field("pool_bytes", &T::pool_bytes),
                 field("hit_seconds", &T::hit_seconds), field("replay_seconds", &T::replay_seconds),
                 field("traces", &T::traces));
};

struct CellId {
  std::optional<Json> write(const model::CellResult& cell) const { return Json(model::id_of(cell.cell)); }
};

// Of a cell or a ladder, as what follows.
template <typename T>
struct StatusField {
  std::optional<Json> write(const T& of) const { return Json(model::name_of(of.status)); }
  void read(JsonWalk& walk, JsonWalk::Value value, T& of) const { JsonReader(walk).read(value, of.status); }
};

// Every one that is not ok has a reason, also where none was recorded.
template <typename T>
model::Reason reason_of(const T& of) {
  if (of.reason) return *of.reason;
  if (of.status == model::CellStatus::pending)
    return {"interrupted", "the sweep ended before this cell was measured"};
  return {"internal", "no reason was recorded"};
}

template <typename T>
struct ReasonField {
  std::optional<Json> write(const T& of) const {
    if (of.status == model::CellStatus::ok) return std::nullopt;
    return JsonWriter(Form::document).write(reason_of(of));
  }
  void read(JsonWalk& walk, JsonWalk::Value value, T& of) const { JsonReader(walk).read(value, of.reason); }
};

template <>
struct Description<model::CellResult> {
  using T = model::CellResult;
  static constexpr auto fields = std::tuple(
      CustomField<CellId>{"id", {}}, inlined(&T::cell), CustomField<StatusField<T>>{"status", {}},
      CustomField<ReasonField<T>>{"reason", {}}, field("check", &T::check), field("graph", &T::graph),
      field("memory", &T::memory), field("launches", &T::launches), field("summary", &T::summary),
      later_field("caller_io", &T::caller_io), later_field("counters", &T::counters),
      later_field("address_check", &T::address_check), later_field("training", &T::training),
      later_field("shape_walk", &T::shape_walk), later_field("cache", &T::cache),
      later_field("package", &T::package), later_field("compiled", &T::compiled),
      later_field("fallback", &T::fallback), later_field("fallback_reason", &T::fallback_reason),
      later_field("paths", &T::paths), later_field("profile", &T::profile),
      later_field("resumed", &T::resumed), later_field("measured_on", &T::measured_on),
      later_field("shard", &T::shard), later_field("rewrites", &T::rewrites));
};

template <>
struct Description<model::DeviceFacts> {
  using T = model::DeviceFacts;
  static constexpr auto fields = std::tuple(
      field("kind", &T::kind), field("name", &T::name), text_field("uuid", &T::uuid),
      text_field("compute_capability", &T::compute_capability), field("memory_bytes", &T::memory_bytes),
      text_field("driver", &T::driver), text_field("runtime", &T::runtime), field("libraries", &T::libraries),
      later_field("pci_bus_id", &T::pci_bus_id));
};

template <>
struct Description<model::LibraryChoice> {
  using T = model::LibraryChoice;
  static constexpr auto fields =
      std::tuple(field("key", &T::key), field("algorithm", &T::algorithm), field("timed", &T::timed),
                 field("hit", &T::hit), later_field("plan", &T::plan));
};

// Left out where there was no choice. The digest is of keys and algorithms: sweeps with one digest ran the
// same.
struct LibraryChoices {
  std::optional<Json> write(const model::Environment& environment) const {
    if (environment.library_choices.empty()) return std::nullopt;
    std::string text;
    for (const model::LibraryChoice& choice : environment.library_choices)
      text += choice.key + "\n" + choice.algorithm + "\n";
    return Json({{"digest", model::sha256_hex(text)},
                 {"entries", JsonWriter(Form::document).write(environment.library_choices)}});
  }
  void read(JsonWalk& walk, JsonWalk::Value value, model::Environment& environment) const {
    walk.each_field(value, [&](std::string_view key, JsonWalk::Value field) {
      if (key != "entries") return walk.skip(field);
      JsonReader(walk).read(field, environment.library_choices);
    });
  }
};

template <>
struct Description<model::Environment> {
  using T = model::Environment;
  static constexpr auto fields = std::tuple(
      field("hostname", &T::hostname), field("os", &T::os), field("cpu", &T::cpu), field("cores", &T::cores),
      field("device", &T::device), field("fingerprint", &T::fingerprint), later_field("machine", &T::machine),
      later_field("monitor", &T::monitor), later_field("profiler", &T::profiler),
      later_field("floors", &T::floors), later_field("variables", &T::variables),
      CustomField<LibraryChoices>{"library_choices", {}});
};

template <>
struct Description<model::Axes> {
  using T = model::Axes;
  static constexpr auto fields =
      std::tuple(field("workload", &T::workload), field("preset", &T::preset), field("dtype", &T::dtype),
                 field("pass", &T::pass), field("batch", &T::batch), field("warmup", &T::warmup),
                 field("mode", &T::mode), LaterAxes<T>());
};

template <>
struct Description<model::Interleaved> {
  using T = model::Interleaved;
  static constexpr auto fields =
      std::tuple(field("id", &T::id), field("side", &T::side), later_field("looks", &T::looks));
};

template <>
struct Description<model::ShardFacts> {
  using T = model::ShardFacts;
  static constexpr auto fields =
      std::tuple(field("index", &T::index), field("count", &T::count), field("by", &T::by),
                 field("assignment", &T::assignment), later_field("presets", &T::presets));
};

template <>
struct Description<model::PlanFacts> {
  using T = model::PlanFacts;
  static constexpr auto fields =
      std::tuple(field("hash", &T::hash), field("argv", &T::argv), field("seed", &T::seed),
                 field("launches", &T::launches), field("axes", &T::axes), field("method", &T::method),
                 later_field("cold_l2", &T::cold_l2), later_field("profile", &T::profile),
                 later_field("cell_processes", &T::cell_processes),
                 later_field("interleaved", &T::interleaved), later_field("caller", &T::caller),
                 later_field("shard", &T::shard), later_field("concurrent", &T::concurrent));
};

template <>
struct Description<model::MergedShard> {
  using T = model::MergedShard;
  static constexpr auto fields =
      std::tuple(field("index", &T::index), field("started_at", &T::started_at),
                 field("finished_at", &T::finished_at), field("environment", &T::environment));
};

// Of all cells together.
struct CacheTotal {
  std::optional<Json> write(const model::Result& result) const {
    std::optional<model::CacheUse> total;
    for (const model::CellResult& cell : result.cells) {
      if (!cell.cache) continue;
      if (!total) total.emplace();
      model::add(*total, *cell.cache);
    }
    return total ? std::optional(JsonWriter(Form::document).write(*total)) : std::nullopt;
  }
};

// All but the schema's name, which comes first, and the cells, which are written one a line.
template <>
struct Description<model::Result> {
  using T = model::Result;
  static constexpr auto fields = std::tuple(
      group("tool", field("version", &T::tool_version), field("commit", &T::tool_commit)),
      field("started_at", &T::started_at), text_field("finished_at", &T::finished_at),
      field("complete", &T::complete), field("environment", &T::environment), field("plan", &T::plan),
      later_field("shards", &T::shards), CustomField<CacheTotal>{"cache", {}});
};

template <>
struct Description<model::SamplingBounds> {
  using T = model::SamplingBounds;
  static constexpr auto fields =
      std::tuple(field("seconds_max", &T::seconds_max), field("samples_max", &T::samples_max));
};

template <>
struct Description<model::CallerOptions> {
  using T = model::CallerOptions;
  static constexpr auto fields =
      std::tuple(field("addresses", &T::addresses), field("mutated_inputs", &T::mutated_inputs),
                 field("on_skip", &T::on_skip), field("capture_stream", &T::capture_stream),
                 field("check_addresses", &T::check_addresses), field("dump_graph", &T::dump_graph));
};

template <>
struct Description<model::PackageFiles> {
  using T = model::PackageFiles;
  static constexpr auto fields = std::tuple(field("file", &T::file), field("weights", &T::weights),
                                            field("digest", &T::digest), field("low_memory", &T::low_memory));
};

template <>
struct Description<model::WorkerTask> {
  using T = model::WorkerTask;
  static constexpr auto fields = std::tuple(
      field("device", &T::device), field("workload", &T::workload), field("preset", &T::preset),
      field("dtype", &T::dtype), field("pass", &T::pass), field("mode", &T::mode),
      field("warmup", &T::warmup), field("more_axes", &T::more_axes), field("batches", &T::batches),
      field("launch", &T::launch), field("seed", &T::seed), field("sampling", &T::sampling),
      field("plugins", &T::plugins), field("options", &T::options), field("split_ops", &T::split_ops),
      field("caller", &T::caller), field("package", &T::package), field("instruments", &T::instruments),
      field("spawned_ns", &T::spawned_ns));
};

// Compiled once, in described_parts.cpp: each of these takes seconds.
extern template void JsonWriter::put(Json&, const model::CellResult&) const;
extern template void JsonWriter::put(Json&, const model::DeviceFacts&) const;
extern template void JsonWriter::put(Json&, const model::Environment&) const;
extern template void JsonWriter::put(Json&, const model::WorkerTask&) const;
extern template void JsonReader::read(JsonWalk::Value, model::CellResult&);
extern template void JsonReader::read(JsonWalk::Value, model::DeviceFacts&);
extern template void JsonReader::read(JsonWalk::Value, model::WorkerTask&);
extern template bool JsonReader::read_field(std::string_view, JsonWalk::Value, model::WorkerTask&);

}  // namespace graphbench::codec
