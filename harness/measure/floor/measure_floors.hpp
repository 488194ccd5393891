// Measures the shortest times of a device: each kind of launch without any work in it.
#pragma once

#include <memory>

#include "graphs/device/device.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::floors {

struct FloorSettings {
  bool shapes = true;              // also measures node counts, which takes most of the time
  double seconds_per_floor = 0.1;  // limit for each figure
  std::int64_t samples_max = 1000;
  std::int64_t nodes_max = 4096;
};

// Quick settings, for sweeps.
FloorSettings sweep_settings();

// The constructor makes the stream and measure() measures. Before measure(), the caller may move its thread
// away from the CPUs of the stream's threads. `device` outlives the meter.
class FloorMeter {
 public:
  FloorMeter(Device& device, const FloorSettings& settings);
  ~FloorMeter();
  FloorMeter(const FloorMeter&) = delete;
  FloorMeter& operator=(const FloorMeter&) = delete;

  // Figures that the device does not support are absent. Throws the device's exceptions.
  model::Floors measure();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace graphbench::floors
