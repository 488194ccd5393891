// Runs timing loops under Google Benchmark, round by round, until a pass has enough.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace benchmark {
class State;
}

namespace graphbench::measure {

// When a pass is done: at `samples_max`, or once `seconds_max` is used up and there are `samples_min`.
struct PassBounds {
  double seconds_max = 0.1;
  std::int64_t samples_min = 16;
  std::int64_t samples_max = 2000;
};

// Steps for the next round, 0 when the pass is done. Rounds grow with the number of samples taken, so
// that the first ones find out how long a step is and later ones are few.
std::int64_t next_round(const PassBounds& bounds, std::int64_t samples_taken, double seconds_used);

// One Google Benchmark run of exactly `iterations` iterations with manual time. What `loop` throws is
// rethrown here once Google Benchmark has returned.
void run_round(const std::string& name, std::int64_t iterations,
               const std::function<void(benchmark::State&)>& loop);

}  // namespace graphbench::measure
