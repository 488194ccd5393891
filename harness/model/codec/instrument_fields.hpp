// The JSON form of the instruments' results: floors, readings, profiles.
#pragma once

#include <cmath>

#include "harness/model/codec/description.hpp"
#include "harness/model/settings.hpp"

namespace graphbench::model {

template <>
struct Description<Floor> {
  using T = Floor;
  static constexpr auto fields = std::tuple(field("p50", &T::p50), field("count", &T::count));
  static bool can_be_written(const T& floor) { return std::isfinite(floor.p50); }
};

GB_DESCRIBE(FloorPoint, nodes, (field("submit_seconds", &T::submit)), (field("device_seconds", &T::device)),
            (field("instantiate_seconds", &T::instantiate)));
GB_DESCRIBE(FloorShape, shape, streams, submit_seconds_per_node, device_seconds_per_node,
            instantiate_seconds_per_node, points);
GB_DESCRIBE(ExecMemoryPoint, nodes, bytes, residual_bytes);
GB_DESCRIBE(ExecMemoryFloor, bytes_per_node, bytes_at_zero, points);
GB_DESCRIBE(Floors, (field("clock_pair_seconds", &T::clock_pair)),
            (field("kernel_launch_seconds", &T::kernel_launch)),
            (field("graph_launch_seconds", &T::graph_launch)),
            (field("queued_kernel_launch_seconds", &T::queued_kernel_launch)),
            (field("queued_graph_launch_seconds", &T::queued_graph_launch)),
            (field("empty_graph_launch_seconds", &T::empty_graph_launch)),
            (field("event_pair_seconds", &T::event_pair)),
            (field("event_resolution_seconds", &T::event_resolution)),
            (field("completion_spin_seconds", &T::completion_spin)),
            (field("completion_block_seconds", &T::completion_block)),
            (field("queue_handoff_seconds", &T::queue_handoff)), (field("ladders", &T::shapes)),
            (later, exec_memory), (later, if_taken_seconds), (later, if_not_taken_seconds),
            (later, switch_arm_seconds));
GB_DESCRIBE(facts::DeviceReading, sm_clock_hz, memory_clock_hz, temperature_celsius, power_watts, throttle);
GB_DESCRIBE(LaunchMachine, cpu, cpu_slowdown, device_slowdown, throttled, before, after);
GB_DESCRIBE(SubmitterCpus, cpus, (text, locality), cores);
GB_DESCRIBE(CpuState, (text, governor), turbo, load_average, pinned, cpu_quota, (later, submitter));
GB_DESCRIBE(ProfileEntry, name, seconds, count, (later, ops));
GB_DESCRIBE(DeviceTimeCheck, steps, device_seconds, recorded_seconds, difference_seconds, events_seconds);
GB_DESCRIBE(Profile, steps, busy_seconds, gap_seconds, kernels, top, device_seconds, slowdown, witness);
GB_DESCRIBE(StepRecords, steps, busy_seconds, operations, kernels, eager_kernels, other_kernels, differences,
            graph_seconds, (later, copies), (later, eager_copies), (later, other_copies),
            (later, framework_kernels), (later, graphed_kernels));
GB_DESCRIBE(CaptureSkip, reason, words, (text, line));
GB_DESCRIBE(InstrumentState, available, detail);
GB_DESCRIBE(ShapeStep, batch, sequence, line);
GB_DESCRIBE(ShapeTrace, file, programs_max, recordings_max, steps);
GB_DESCRIBE(InstrumentOptions, pin, cpu, cold_l2, sustained_seconds, profile, trace, submitter, evaluate,
            shape_trace);
GB_DESCRIBE(TraceSpan, track, name, start_seconds, seconds);

}  // namespace graphbench::model
