// The JSON form in which instruments' findings cross pipes. Internal to those who read and write pipes:
// the result document has its own form.
#pragma once

#include <nlohmann/json.hpp>

#include "harness/model/instruments.hpp"
#include "harness/worker/optional_json.hpp"

namespace graphbench::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InstrumentOptions, pin, cpu, cold_l2, profile, trace)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Floor, p50, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FloorPoint, nodes, submit, device, instantiate)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FloorLadder, shape, streams, points, submit_seconds_per_node,
                                   device_seconds_per_node, instantiate_seconds_per_node)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Floors, clock_pair, kernel_launch, graph_launch, queued_kernel_launch,
                                   queued_graph_launch, empty_graph_launch, event_pair, event_resolution,
                                   completion_spin, completion_block, queue_handoff, ladders)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MachineReading, sm_clock_hz, memory_clock_hz, temperature_celsius,
                                   power_watts, throttle)
// What an earlier graphbench stored lacks what came later.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LaunchMachine, cpu, cpu_slowdown, device_slowdown, before,
                                                after, throttled)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProfileEntry, name, seconds, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceTimeCheck, steps, device_seconds, recorded_seconds,
                                   difference_seconds, events_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Profile, steps, busy_seconds, gap_seconds, kernels, top, device_seconds,
                                   slowdown, witness)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InstrumentState, available, detail)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TraceSpan, track, name, start_seconds, seconds)

}  // namespace graphbench::model
