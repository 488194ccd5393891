// The sustained pass: runs steps back to back until the device is steady, then takes samples without a rest.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graphs/device/monitor.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

// Decides when a loaded device is steady: two successive windows agree within 1 % in the clock and the power
// that the monitor read, and within 0.3 % in the step time, which shows a slow drift of a warming GPU
// earlier. Without a monitor, 1 % in the step time decides. Pure.
class SteadyWindows {
 public:
  static constexpr double window_seconds = 2;
  static constexpr double tolerance = 0.01;
  static constexpr double step_tolerance = 0.003;

  struct Window {
    std::optional<double> sm_clock_hz;  // means
    std::optional<double> power_watts;
    double step_seconds = 0;
  };

  // Steps ran for `seconds` since the last call; `reading` was taken meanwhile. `seconds` > 0, `steps` > 0.
  void add(double seconds, double steps, const facts::DeviceReading& reading);
  bool steady() const { return steady_; }
  // The last full window, or the unfinished first one.
  Window window() const;

 private:
  struct Sums {
    double seconds = 0;
    double steps = 0;
    double clock = 0;
    double clocks = 0;  // how many were read
    double power = 0;
    double powers = 0;
  };
  static Window means_of(const Sums& sums);

  Sums now_;
  std::optional<Window> last_;
  bool steady_ = false;
};

struct SustainedBounds {
  double seconds_max = 15;  // until steady
  // Between two passes the device rests briefly, which raises its clock for some tenths of a second. Steps
  // therefore run for this time before the samples of each pass.
  double lead_seconds = 1;
  double sample_seconds = 1;           // for each pass: latency, device time
  std::int64_t samples_max = 2000;     // for each pass
  double reading_every_seconds = 0.1;  // while steps run
};

// The load of one placement and its samples; no samples if the device never became steady.
struct LoadedPlacement {
  model::Sustained load{};  // without times
  std::vector<double> latency_seconds;
  std::vector<double> device_seconds;
};

// Runs the steps and times them. `alive` is called at least once per window, between steps. Caches are not
// emptied, because that would give the device a rest. Throws what a step throws.
LoadedPlacement measure_sustained(const StepUnderTest& step, Device& device, const SustainedBounds& bounds,
                                  const std::function<void()>& alive);

// Times are those of summarize_placements; clock and power are means over placements; seconds_to_steady is
// the longest. Has no times if any placement never became steady. Needs at least one placement.
model::Sustained summarize_loads(const std::vector<LoadedPlacement>& placements);

}  // namespace graphbench::measure
