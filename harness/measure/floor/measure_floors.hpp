// Measures a device's floors: the least cost of launches, events, waits and graph execs, without other work.
#pragma once

#include <cstdint>
#include <functional>

#include "graphs/device/device.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::measure {

struct FloorSettings {
  bool shapes = true;              // also measures larger graphs, branches and exec memory, which is slow
  double seconds_per_floor = 0.1;  // the time limit of each floor
  std::int64_t samples_max = 1000;
  std::int64_t nodes_max = 4096;
};

FloorSettings sweep_settings();

// Makes a stream, calls `stream_made`, then measures. `stream_made` may move the calling thread off the CPUs
// of the stream's threads. Floors that the device does not support are absent. Throws a device's exceptions.
model::Floors measure_floors(
    Device& device, const FloorSettings& settings, const std::function<void()>& stream_made = [] {});

}  // namespace graphbench::measure
