// Measures a device's floors: the least cost of launches, events, waits and graph execs, without other work.
#pragma once

#include <memory>

#include "graphs/device/device.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::floors {

struct FloorSettings {
  bool shapes = true;              // also measures larger graphs, branches and exec memory, which is slow
  double seconds_per_floor = 0.1;  // time limit of each floor
  std::int64_t samples_max = 1000;
  std::int64_t nodes_max = 4096;
};

// Quick settings, for sweeps.
FloorSettings sweep_settings();

// The constructor makes the stream. Before measure(), the caller may move its own thread away from the CPUs
// of the stream's threads. `device` outlives the meter.
class FloorMeter {
 public:
  FloorMeter(Device& device, const FloorSettings& settings);
  ~FloorMeter();
  FloorMeter(const FloorMeter&) = delete;
  FloorMeter& operator=(const FloorMeter&) = delete;

  // Floors that the device does not support are absent. Throws the device's exceptions.
  model::Floors measure();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace graphbench::floors
