// The steady clock, which all processes of a machine share and no process can set, and the time of day.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace graphbench {

using SteadyClock = std::chrono::steady_clock;

inline std::int64_t steady_ns() {
  return std::chrono::nanoseconds(SteadyClock::now().time_since_epoch()).count();
}
inline double steady_seconds() {
  return std::chrono::duration<double>(SteadyClock::now().time_since_epoch()).count();
}

class Stopwatch {
 public:
  Stopwatch() = default;
  explicit Stopwatch(SteadyClock::time_point start) : start_(start) {}
  double seconds() const { return std::chrono::duration<double>(SteadyClock::now() - start_).count(); }

 private:
  SteadyClock::time_point start_ = SteadyClock::now();
};

// RFC 3339 in UTC with whole seconds: "2026-11-21T08:15:30Z".
std::string utc_now();
double unix_seconds_now();

}  // namespace graphbench
