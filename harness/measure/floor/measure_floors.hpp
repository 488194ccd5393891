// Measures the best that a device can do: each launch path with nothing in it.
#pragma once

#include <memory>

#include "graphs/device/device.hpp"
#include "harness/model/instruments.hpp"

namespace graphbench::floors {

struct FloorSettings {
  bool shapes = true;              // node counts, which take most of the time
  double seconds_per_floor = 0.1;  // at most, for each figure
  std::int64_t samples_max = 1000;
  std::int64_t nodes_max = 4096;
};

// The settings of a sweep, which are quick.
FloorSettings sweep_settings();

// The constructor makes the stream, measure() measures. In between the caller may move its thread to another
// CPU than the stream's threads. `device` outlives the meter.
class FloorMeter {
 public:
  FloorMeter(Device& device, const FloorSettings& settings);
  ~FloorMeter();
  FloorMeter(const FloorMeter&) = delete;
  FloorMeter& operator=(const FloorMeter&) = delete;

  // A figure that the device cannot give is absent. Throws what the device throws.
  model::Floors measure();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace graphbench::floors
