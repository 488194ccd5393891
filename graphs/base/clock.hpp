// The steady clock, which all processes of a machine share and that nothing sets.
#pragma once

#include <chrono>
#include <cstdint>

namespace graphbench {

using SteadyClock = std::chrono::steady_clock;

// Since an arbitrary moment.
inline std::int64_t steady_ns() {
  return std::chrono::nanoseconds(SteadyClock::now().time_since_epoch()).count();
}
inline double steady_seconds() {
  return std::chrono::duration<double>(SteadyClock::now().time_since_epoch()).count();
}

// Runs from the moment it is made, or from the one that is given.
class Stopwatch {
 public:
  Stopwatch() = default;
  explicit Stopwatch(SteadyClock::time_point start) : start_(start) {}
  double seconds() const { return std::chrono::duration<double>(SteadyClock::now() - start_).count(); }

 private:
  SteadyClock::time_point start_ = SteadyClock::now();
};

}  // namespace graphbench
