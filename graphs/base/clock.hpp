// The steady clock, which all processes of a machine share and nothing can set; and the time of day.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace graphbench {

using SteadyClock = std::chrono::steady_clock;

// Nanoseconds since an arbitrary moment.
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

// The time of day as documents hold it: RFC 3339, in UTC, in seconds. "2026-11-21T08:15:30Z"
std::string utc_now();
double unix_seconds_now();  // with its fraction

}  // namespace graphbench
