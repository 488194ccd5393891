// Builds the document field by field in the order CONTRACT lists them, so that two documents of one
// plan differ only where their numbers do.
#include "reporters/json/result_json.hpp"

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "reporters/json/instruments_json.hpp"

namespace graphbench::reporters {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t ramp_samples_max = 32;

// Both ends or none.
Json interval_of(const std::optional<double>& low, const std::optional<double>& high) {
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high)) return nullptr;
  return Json::array({*low, *high});
}

Json summary_of(const std::optional<model::Summary>& summary) {
  if (!summary) return nullptr;
  for (const double value : {summary->min, summary->p50, summary->max, summary->mean}) {
    if (!std::isfinite(value)) return nullptr;
  }
  return {{"count", summary->count},
          {"min", summary->min},
          {"p50", summary->p50},
          {"p50_ci95", interval_of(summary->p50_ci95_low, summary->p50_ci95_high)},
          {"p90", number(summary->p90)},
          {"p99", number(summary->p99)},
          {"p999", number(summary->p999)},
          {"max", summary->max},
          {"mean", summary->mean},
          {"stddev", number(summary->stddev)}};
}

Json estimate_of(const std::optional<model::Estimate>& estimate) {
  if (!estimate || !std::isfinite(estimate->p50)) return nullptr;
  return {{"p50", estimate->p50},
          {"ci95", interval_of(estimate->ci95_low, estimate->ci95_high)},
          {"between_launches", number(estimate->between_launches)},
          {"within_launch", number(estimate->within_launch)}};
}

Json setup_of(const model::Setup& setup) {
  return {{"prepare_seconds", number(setup.prepare_seconds)},
          {"warmup_seconds", number(setup.warmup_seconds)},
          {"capture_seconds", number(setup.capture_seconds)},
          {"instantiate_seconds", number(setup.instantiate_seconds)},
          {"upload_seconds", number(setup.upload_seconds)},
          {"first_step_seconds", number(setup.first_step_seconds)}};
}

// The first steps after the setup, where too few warmups show.
Json ramp_of(const std::vector<double>& samples) {
  Json ramp = Json::array();
  for (std::size_t i = 0; i < samples.size() && i < ramp_samples_max; ++i) ramp.push_back(number(samples[i]));
  return ramp;
}

Json launch_of(const model::Launch& launch) {
  Json json = {{"index", launch.index},
               {"setup", setup_of(launch.setup)},
               {"submit_seconds", summary_of(launch.submit_seconds)},
               {"latency_seconds", summary_of(launch.latency_seconds)},
               {"device_seconds", summary_of(launch.device_seconds)},
               {"throughput_steps_per_second", number(launch.throughput_steps_per_second)},
               {"stopped_by",
                {{"latency", text(launch.latency_stopped_by)},
                 {"device", text(launch.device_stopped_by)},
                 {"throughput", text(launch.throughput_stopped_by)}}},
               {"ramp_seconds", ramp_of(launch.latency_samples)}};
  if (launch.machine) json["machine"] = machine_of(*launch.machine);
  return json;
}

// Every cell that is not ok has a reason, also where whoever made the result gave none.
Json reason_of(const model::CellResult& cell) {
  if (cell.reason) return {{"code", cell.reason->code}, {"message", cell.reason->message}};
  if (cell.status == model::CellStatus::pending) {
    return {{"code", "interrupted"}, {"message", "the sweep ended before this cell was measured"}};
  }
  return {{"code", "internal"}, {"message", "no reason was recorded"}};
}

Json check_of(const std::optional<model::Check>& check) {
  if (!check) return nullptr;
  return {{"reference", check->reference},
          {"identical", check->identical},
          {"max_abs_error", number(check->max_abs_error)}};
}

Json graph_of(const std::optional<model::GraphCounts>& graph) {
  if (!graph) return nullptr;
  return {{"pieces", graph->pieces},
          {"nodes", graph->nodes},
          {"captured_ops", graph->captured_ops},
          {"eager_ops", graph->eager_ops}};
}

Json memory_of(const std::optional<model::Memory>& memory) {
  if (!memory) return nullptr;
  return {{"weights_bytes", memory->weights_bytes},
          {"pool_bytes", memory->pool_bytes},
          {"pool_bytes_private", memory->pool_bytes_private},
          {"pool_bytes_own", memory->pool_bytes_own}};
}

Json paths_of(const std::vector<model::OpPath>& paths) {
  Json json = Json::array();
  for (const model::OpPath& path : paths) {
    json.push_back({{"path", path.path}, {"ops", path.ops}, {"fallback", text(path.fallback)}});
  }
  return json;
}

Json cell_of(const model::CellResult& result) {
  Json json;
  const model::Cell& cell = result.cell;
  json["id"] = model::id_of(cell);
  json["workload"] = cell.workload;
  json["preset"] = cell.preset;
  json["dtype"] = cell.dtype;
  json["pass"] = cell.pass;
  json["batch"] = cell.batch;
  json["warmup"] = cell.warmup;
  json["mode"] = cell.mode;
  json["status"] = model::name_of(result.status);
  if (result.status != model::CellStatus::ok) json["reason"] = reason_of(result);
  json["check"] = check_of(result.check);
  json["graph"] = graph_of(result.graph);
  json["memory"] = memory_of(result.memory);
  json["launches"] = Json::array();
  for (const model::Launch& launch : result.launches) json["launches"].push_back(launch_of(launch));
  const model::CellSummary& summary = result.summary;
  json["summary"] = {{"submit_seconds", estimate_of(summary.submit_seconds)},
                     {"latency_seconds", estimate_of(summary.latency_seconds)},
                     {"device_seconds", estimate_of(summary.device_seconds)},
                     {"speedup_over_eager", number(summary.speedup_over_eager)},
                     {"breakeven_steps", number(summary.breakeven_steps)},
                     {"steady_after", summary.steady_after ? Json(*summary.steady_after) : Json(nullptr)}};
  if (summary.submit_over_floor) json["summary"]["submit_over_floor"] = number(summary.submit_over_floor);
  if (!result.paths.empty()) json["paths"] = paths_of(result.paths);
  if (result.profile) json["profile"] = profile_of(*result.profile);
  if (result.resumed) json["resumed"] = true;
  return json;
}

Json plan_of(const model::PlanFacts& plan) {
  const model::Axes& axes = plan.axes;
  Json json = {{"hash", plan.hash},
               {"argv", plan.argv},
               {"seed", plan.seed},
               {"launches", plan.launches},
               {"axes",
                {{"workload", axes.workload},
                 {"preset", axes.preset},
                 {"dtype", axes.dtype},
                 {"pass", axes.pass},
                 {"batch", axes.batch},
                 {"warmup", axes.warmup},
                 {"mode", axes.mode}}}};
  if (plan.cold_l2) json["cold_l2"] = true;
  if (plan.profile) json["profile"] = true;
  return json;
}

}  // namespace

std::string to_json(const model::CellResult& cell) {
  return dump(cell_of(cell), -1);
}

std::string to_json(const model::Result& result) {
  Json head;
  head["schema"] = "graphbench.result/1";
  head["tool"] = {{"version", result.tool_version}, {"commit", result.tool_commit}};
  head["started_at"] = result.started_at;
  head["finished_at"] = text(result.finished_at);
  head["complete"] = result.complete;
  head["environment"] = environment_of(result.environment);
  head["plan"] = plan_of(result.plan);

  // One cell a line: a committed result stays readable in a diff.
  std::string document = dump(head, 2);
  document.resize(document.size() - 2);  // the closing "\n}"
  document += ",\n  \"cells\": [";
  const char* separator = "\n    ";
  for (const model::CellResult& cell : result.cells) {
    document += separator;
    document += to_json(cell);
    separator = ",\n    ";
  }
  document += result.cells.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return document;
}

}  // namespace graphbench::reporters
