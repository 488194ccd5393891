// The JSON form of what instruments find: floors, readings, profiles.
#pragma once

#include <cmath>

#include "harness/codec/description.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::codec {

template <>
struct Description<model::Floor> {
  using T = model::Floor;
  static constexpr auto fields = std::tuple(field("p50", &T::p50), field("count", &T::count));
  static bool can_be_written(const T& floor) { return std::isfinite(floor.p50); }
};

template <>
struct Description<model::FloorPoint> {
  using T = model::FloorPoint;
  static constexpr auto fields =
      std::tuple(field("nodes", &T::nodes), field("submit_seconds", &T::submit),
                 field("device_seconds", &T::device), field("instantiate_seconds", &T::instantiate));
};

template <>
struct Description<model::FloorLadder> {
  using T = model::FloorLadder;
  static constexpr auto fields = std::tuple(
      field("shape", &T::shape), field("streams", &T::streams),
      field("submit_seconds_per_node", &T::submit_seconds_per_node),
      field("device_seconds_per_node", &T::device_seconds_per_node),
      field("instantiate_seconds_per_node", &T::instantiate_seconds_per_node), field("points", &T::points));
};

template <>
struct Description<model::ExecMemoryPoint> {
  using T = model::ExecMemoryPoint;
  static constexpr auto fields = std::tuple(field("nodes", &T::nodes), field("bytes", &T::bytes),
                                            field("residual_bytes", &T::residual_bytes));
};

template <>
struct Description<model::ExecMemoryFloor> {
  using T = model::ExecMemoryFloor;
  static constexpr auto fields =
      std::tuple(field("bytes_per_node", &T::bytes_per_node), field("bytes_at_zero", &T::bytes_at_zero),
                 field("points", &T::points));
};

template <>
struct Description<model::Floors> {
  using T = model::Floors;
  static constexpr auto fields = std::tuple(
      field("clock_pair_seconds", &T::clock_pair), field("kernel_launch_seconds", &T::kernel_launch),
      field("graph_launch_seconds", &T::graph_launch),
      field("queued_kernel_launch_seconds", &T::queued_kernel_launch),
      field("queued_graph_launch_seconds", &T::queued_graph_launch),
      field("empty_graph_launch_seconds", &T::empty_graph_launch),
      field("event_pair_seconds", &T::event_pair), field("event_resolution_seconds", &T::event_resolution),
      field("completion_spin_seconds", &T::completion_spin),
      field("completion_block_seconds", &T::completion_block),
      field("queue_handoff_seconds", &T::queue_handoff), field("ladders", &T::ladders),
      later_field("exec_memory", &T::exec_memory));
};

template <>
struct Description<model::MachineReading> {
  using T = model::MachineReading;
  static constexpr auto fields =
      std::tuple(field("sm_clock_hz", &T::sm_clock_hz), field("memory_clock_hz", &T::memory_clock_hz),
                 field("temperature_celsius", &T::temperature_celsius), field("power_watts", &T::power_watts),
                 field("throttle", &T::throttle));
};

template <>
struct Description<model::LaunchMachine> {
  using T = model::LaunchMachine;
  static constexpr auto fields =
      std::tuple(field("cpu", &T::cpu), field("cpu_slowdown", &T::cpu_slowdown),
                 field("device_slowdown", &T::device_slowdown), field("throttled", &T::throttled),
                 field("before", &T::before), field("after", &T::after));
};

template <>
struct Description<model::SubmitterCpus> {
  using T = model::SubmitterCpus;
  static constexpr auto fields =
      std::tuple(field("cpus", &T::cpus), text_field("locality", &T::locality), field("cores", &T::cores));
};

template <>
struct Description<model::CpuState> {
  using T = model::CpuState;
  static constexpr auto fields =
      std::tuple(text_field("governor", &T::governor), field("turbo", &T::turbo),
                 field("load_average", &T::load_average), field("pinned", &T::pinned),
                 field("cpu_quota", &T::cpu_quota), later_field("submitter", &T::submitter));
};

template <>
struct Description<model::ProfileEntry> {
  using T = model::ProfileEntry;
  static constexpr auto fields =
      std::tuple(field("name", &T::name), field("seconds", &T::seconds), field("count", &T::count));
};

template <>
struct Description<model::DeviceTimeCheck> {
  using T = model::DeviceTimeCheck;
  static constexpr auto fields = std::tuple(
      field("steps", &T::steps), field("device_seconds", &T::device_seconds),
      field("recorded_seconds", &T::recorded_seconds), field("difference_seconds", &T::difference_seconds),
      field("events_seconds", &T::events_seconds));
};

template <>
struct Description<model::Profile> {
  using T = model::Profile;
  static constexpr auto fields =
      std::tuple(field("steps", &T::steps), field("busy_seconds", &T::busy_seconds),
                 field("gap_seconds", &T::gap_seconds), field("kernels", &T::kernels), field("top", &T::top),
                 field("device_seconds", &T::device_seconds), field("slowdown", &T::slowdown),
                 field("witness", &T::witness));
};

template <>
struct Description<model::InstrumentState> {
  using T = model::InstrumentState;
  static constexpr auto fields = std::tuple(field("available", &T::available), field("detail", &T::detail));
};

template <>
struct Description<model::ShapeStep> {
  using T = model::ShapeStep;
  static constexpr auto fields =
      std::tuple(field("batch", &T::batch), field("sequence", &T::sequence), field("line", &T::line));
};

template <>
struct Description<model::ShapeTrace> {
  using T = model::ShapeTrace;
  static constexpr auto fields =
      std::tuple(field("file", &T::file), field("programs_max", &T::programs_max),
                 field("recordings_max", &T::recordings_max), field("steps", &T::steps));
};

template <>
struct Description<model::InstrumentOptions> {
  using T = model::InstrumentOptions;
  static constexpr auto fields =
      std::tuple(field("pin", &T::pin), field("cpu", &T::cpu), field("cold_l2", &T::cold_l2),
                 field("sustained_seconds", &T::sustained_seconds), field("profile", &T::profile),
                 field("trace", &T::trace), field("submitter", &T::submitter),
                 field("evaluate", &T::evaluate), field("shape_trace", &T::shape_trace));
};

template <>
struct Description<model::TraceSpan> {
  using T = model::TraceSpan;
  static constexpr auto fields =
      std::tuple(field("track", &T::track), field("name", &T::name),
                 field("start_seconds", &T::start_seconds), field("seconds", &T::seconds));
};

}  // namespace graphbench::codec
