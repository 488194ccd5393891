// Times how long a worker takes to be ready: stages by lap(), one after the other without gaps, and those
// that the setups of batches timed themselves.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "graphs/base/clock.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

class StartupClock {
 public:
  // `spawned_ns`: when the parent started this process, by the machine's monotonic clock; 0 if unknown.
  explicit StartupClock(std::int64_t spawned_ns) {
    if (spawned_ns > 0)
      startup_.process_seconds =
          Stopwatch(SteadyClock::time_point(std::chrono::nanoseconds(spawned_ns))).seconds();
  }

  // Adds the time since the last lap to a stage.
  void lap(double model::Startup::*stage) {
    startup_.*stage += last_.seconds();
    last_ = {};
  }
  // Adds a batch's setup in the first placement.
  void add(const model::Setup& setup) {
    startup_.prepare_seconds += setup.prepare_seconds.value_or(0);
    startup_.warmup_seconds += setup.warmup_seconds;
    startup_.capture_seconds += setup.capture_seconds;
    if (setup.break_seconds)
      startup_.break_seconds = startup_.break_seconds.value_or(0) + *setup.break_seconds;
    startup_.instantiate_seconds += setup.instantiate_seconds;
    startup_.upload_seconds += setup.upload_seconds;
    startup_.first_step_seconds += setup.first_step_seconds;
  }
  // A foreign step is opened while the stage of the context is timed. Moves that time to the opening's
  // stages.
  void split_opening(const model::Opening& opening) {
    model::add(startup_.opening, opening);
    for (const auto stage : model::opening_stages) startup_.context_seconds -= (opening.*stage).value_or(0);
  }
  const model::Startup& startup() const noexcept { return startup_; }

  std::optional<model::PackageUse> package;  // what opening a package took; the batches' results repeat it

 private:
  model::Startup startup_{};
  Stopwatch last_;
};

}  // namespace graphbench::measure
