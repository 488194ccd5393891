// The JSON form of ladders that served traffic: `ladders[]` of a result document.
#pragma once

#include <array>

#include "harness/codec/result_fields.hpp"
#include "harness/model/ladder.hpp"

namespace graphbench::codec {

template <>
struct Names<model::LadderPad> {
  static constexpr std::array<std::string_view, 2> names = {"up", "none"};
};
template <>
struct Names<model::LadderBeyond> {
  static constexpr std::array<std::string_view, 3> names = {"eager", "split", "refuse"};
};
template <>
struct Names<model::CaptureOrder> {
  static constexpr std::array<std::string_view, 2> names = {"largest", "smallest"};
};
template <>
struct Names<model::CaptureWhen> {
  static constexpr std::array<std::string_view, 2> names = {"startup", "lazy"};
};

template <>
struct Description<model::LadderPolicy> {
  using T = model::LadderPolicy;
  static constexpr auto fields =
      std::tuple(field("pad", &T::pad), field("beyond", &T::beyond), field("capture_order", &T::order),
                 field("capture_when", &T::when));
};

template <>
struct Description<model::LadderSteps> {
  using T = model::LadderSteps;
  static constexpr auto fields = std::tuple(
      field("exact", &T::exact), field("padded", &T::padded), field("eager_below", &T::eager_below),
      field("eager_beyond", &T::eager_beyond), field("captured_now", &T::captured_now));
};

template <>
struct Description<model::LadderPadding> {
  using T = model::LadderPadding;
  static constexpr auto fields = std::tuple(field("rows", &T::rows), field("graph_rows", &T::graph_rows),
                                            field("waste", &T::waste), field("seconds", &T::seconds));
};

template <>
struct Description<model::LadderStalls> {
  using T = model::LadderStalls;
  static constexpr auto fields = std::tuple(field("count", &T::count), field("seconds", &T::seconds),
                                            field("longest_seconds", &T::longest_seconds));
};

template <>
struct Description<model::FirstRequests> {
  using T = model::FirstRequests;
  static constexpr auto fields =
      std::tuple(field("count", &T::count), field("p50_seconds", &T::p50_seconds),
                 field("max_seconds", &T::max_seconds), field("seconds", &T::seconds));
};

template <>
struct Description<model::LadderMemory> {
  using T = model::LadderMemory;
  static constexpr auto fields =
      std::tuple(field("pool_bytes", &T::pool_bytes), field("exec_bytes", &T::exec_bytes),
                 field("static_bytes", &T::static_bytes), field("workspace_bytes", &T::workspace_bytes),
                 field("line_bytes", &T::line_bytes));
};

template <>
struct Description<model::RowCount> {
  using T = model::RowCount;
  static constexpr auto fields = std::tuple(field("rows", &T::rows), field("count", &T::count));
};

template <>
struct Description<model::LadderSize> {
  using T = model::LadderSize;
  static constexpr auto fields = std::tuple(
      field("size", &T::size), field("uses", &T::uses), field("rows", &T::rows), field("setup", &T::setup),
      field("step_seconds", &T::step_seconds), field("eager_seconds", &T::eager_seconds),
      field("breakeven_steps", &T::breakeven_steps), field("exec_bytes", &T::exec_bytes),
      field("pool_bytes", &T::pool_bytes), later_field("dropped", &T::dropped), later_field("mode", &T::mode),
      later_field("first_request_seconds", &T::first_request_seconds));
};

template <>
struct Description<model::LadderEager> {
  using T = model::LadderEager;
  static constexpr auto fields =
      std::tuple(field("rows", &T::rows), field("uses", &T::uses), field("step_seconds", &T::step_seconds));
};

template <>
struct Description<model::LadderPlacement> {
  using T = model::LadderPlacement;
  static constexpr auto fields =
      std::tuple(field("latency_seconds", &T::latency_seconds), field("submit_seconds", &T::submit_seconds),
                 field("busy_seconds", &T::busy_seconds));
};

template <>
struct Description<model::LadderLaunch> {
  using T = model::LadderLaunch;
  static constexpr auto fields = std::tuple(
      field("index", &T::index), field("startup", &T::startup), field("steps", &T::steps),
      field("split_steps", &T::split_steps), field("hit_rate", &T::hit_rate), field("padding", &T::padding),
      field("stalls", &T::stalls), field("memory", &T::memory), field("latency_seconds", &T::latency_seconds),
      field("submit_seconds", &T::submit_seconds), later_field("wait_seconds", &T::wait_seconds),
      later_field("response_seconds", &T::response_seconds), field("rows_per_second", &T::rows_per_second),
      field("busy_seconds", &T::busy_seconds), field("predicted_seconds", &T::predicted_seconds),
      field("sizes", &T::sizes), field("eager", &T::eager), later_field("placements", &T::placements),
      later_field("first_requests", &T::first_requests));
};

template <>
struct Description<model::LadderSummary> {
  using T = model::LadderSummary;
  static constexpr auto fields =
      std::tuple(field("latency_seconds", &T::latency_seconds), field("submit_seconds", &T::submit_seconds),
                 field("busy_seconds", &T::busy_seconds), field("over_eager", &T::over_eager),
                 field("over_every", &T::over_every), field("over_engine", &T::over_engine),
                 later_field("over_modes", &T::over_modes));
};

template <>
struct Description<model::LadderTraffic> {
  using T = model::LadderTraffic;
  static constexpr auto fields =
      std::tuple(field("name", &T::name), field("digest", &T::digest), field("steps", &T::steps),
                 field("rows", &T::rows), field("sizes", &T::sizes), field("arrivals", &T::arrivals),
                 field("rate", &T::rate));
};

template <>
struct Description<model::Ladder> {
  using T = model::Ladder;
  static constexpr auto fields =
      std::tuple(field("id", &T::id), inlined(&T::cell), field("role", &T::role), field("sizes", &T::sizes),
                 field("policy", &T::policy), field("traffic", &T::traffic),
                 CustomField<StatusField<T>>{"status", {}}, CustomField<ReasonField<T>>{"reason", {}},
                 field("check", &T::check), field("launches", &T::launches), field("summary", &T::summary));
};

template <>
struct Description<model::FrontierPoint> {
  using T = model::FrontierPoint;
  static constexpr auto fields =
      std::tuple(field("sizes", &T::sizes), field("step_seconds", &T::step_seconds));
};

template <>
struct Description<model::BestSize> {
  using T = model::BestSize;
  static constexpr auto fields =
      std::tuple(field("size", &T::size), field("mode", &T::mode), field("step_seconds", &T::step_seconds),
                 field("margin", &T::margin), field("over_eager", &T::over_eager));
};
template <>
struct Description<model::BestModes> {
  using T = model::BestModes;
  static constexpr auto fields =
      std::tuple(inlined(&T::cell), field("sizes", &T::sizes), field("no_gain_from", &T::no_gain_from),
                 field("no_gain_from_tokens", &T::no_gain_from_tokens));
};

template <>
struct Description<model::Suggestion> {
  using T = model::Suggestion;
  static constexpr auto fields = std::tuple(
      inlined(&T::cell), field("from", &T::from), field("sizes", &T::sizes),
      field("interpolated", &T::interpolated), field("step_seconds", &T::step_seconds),
      field("eager_step_seconds", &T::eager_step_seconds), field("startup_seconds", &T::startup_seconds),
      field("memory_bytes", &T::memory_bytes), field("frontier", &T::frontier),
      text_field("verified_by", &T::verified_by), field("verified_step_seconds", &T::verified_step_seconds),
      later_field("memory_max_bytes", &T::memory_max_bytes));
};

// Compiled once, in described_parts.cpp.
extern template void JsonWriter::put(Json&, const model::Ladder&) const;
extern template void JsonWriter::put(Json&, const model::LadderLaunch&) const;
extern template void JsonReader::read(JsonWalk::Value, model::LadderLaunch&);

}  // namespace graphbench::codec
