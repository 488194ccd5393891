// The sustained pass: runs steps back to back until the device is steady, then takes samples without a rest.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graphs/device/instruments.hpp"
#include "harness/measure/timing_loops.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

// Decides when a loaded device is steady: when two successive windows agree. The clock and power that the
// monitor reads must agree within 1 %. The step time must agree within 0.3 %, because it shows the slow
// drift of a warming GPU earlier. Without a monitor, 1 % in the step time suffices. Pure.
class SteadyWindows {
 public:
  static constexpr double window_seconds = 2;
  static constexpr double tolerance = 0.01;
  static constexpr double step_tolerance = 0.003;

  struct Window {
    std::optional<double> sm_clock_hz;  // mean over the window
    std::optional<double> power_watts;
    double step_seconds = 0;
  };

  // Adds `steps` > 0 steps that ran for `seconds` > 0, and the reading taken meanwhile.
  void add(double seconds, double steps, const facts::DeviceReading& reading);
  bool steady() const { return steady_; }
  // The last full window, or the unfinished first window.
  Window window() const;

 private:
  struct Sums {
    double seconds = 0;
    double steps = 0;
    double clock = 0;
    double clocks = 0;
    double power = 0;
    double powers = 0;
  };
  static Window means_of(const Sums& sums);

  Sums now_;
  std::optional<Window> last_;
  bool steady_ = false;
};

struct SustainedBounds {
  double seconds_max = 15;  // longest load until the device is steady
  // A rest between passes raises the clock for tenths of a second, so steps run before each pass's samples.
  double lead_seconds = 1;
  double sample_seconds = 1;  // time for the samples of each pass: latency, device time
  std::int64_t samples_max = 2000;
  double reading_every_seconds = 0.1;
};

// What measure_sustained() measures in a placement. There are no samples if the device never became steady.
struct LoadedPlacement {
  model::Sustained load{};  // without latency_seconds and device_seconds
  std::vector<double> latency_seconds;
  std::vector<double> device_seconds;
};

// Loads the device until it is steady, then times steps. Calls `alive` about once per window of the load.
// Does not empty caches, because the device would rest meanwhile. Throws a step's exceptions.
LoadedPlacement measure_sustained(const StepUnderTest& step, Device& device, const SustainedBounds& bounds,
                                  const std::function<void()>& alive);

// Times are those of summarize_placements(); clock and power are means over placements; seconds_to_steady is
// the longest of all placements. There are no times if a placement never became steady. `placements` must not
// be empty.
model::Sustained summarize_loads(const std::vector<LoadedPlacement>& placements);

}  // namespace graphbench::measure
