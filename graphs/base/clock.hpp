// The steady clock, which all processes of a machine share and no process can set, and the time of day.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace graphbench {

using SteadyClock = std::chrono::steady_clock;

// Nanoseconds since an arbitrary moment, the same for all processes of the machine.
inline std::int64_t steady_ns() {
  return std::chrono::nanoseconds(SteadyClock::now().time_since_epoch()).count();
}
inline double steady_seconds() {
  return std::chrono::duration<double>(SteadyClock::now().time_since_epoch()).count();
}

// Counts from its construction, or from `start`.
class Stopwatch {
 public:
  Stopwatch() = default;
  explicit Stopwatch(SteadyClock::time_point start) : start_(start) {}
  double seconds() const { return std::chrono::duration<double>(SteadyClock::now() - start_).count(); }

 private:
  SteadyClock::time_point start_ = SteadyClock::now();
};

// The time of day in UTC, as RFC 3339 with whole seconds: "2026-11-21T08:15:30Z".
std::string utc_now();
double unix_seconds_now();  // seconds since 1970 with a fraction

}  // namespace graphbench
