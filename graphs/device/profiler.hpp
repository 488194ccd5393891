// A device's records of its work, one per operation with start and end: an independent check of graphbench's
// times. Recording slows the work down, so no latency is measured while a profiler records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphbench {

struct Activity {
  enum class Kind : std::uint8_t { kernel, copy, fill } kind = Kind::kernel;
  std::string name;
  // Seconds of std::chrono::steady_clock, the clock of the host's times.
  double start_seconds = 0;
  double end_seconds = 0;
  std::int64_t bytes = 0;  // of a copy or a fill
  bool in_graph = false;   // a graph launch ran it
};

// Records from construction to destruction. A process may have one at a time, used on the device's thread.
class ActivityProfiler {
 public:
  virtual ~ActivityProfiler() = default;
  // Returns everything that ran since the last call, by start time. Synchronise the streams first: work that
  // still runs may be missing.
  virtual std::vector<Activity> collect() = 0;
};

struct ProfilerResult {
  std::unique_ptr<ActivityProfiler> profiler;
  std::string detail;  // the recorder's name ("CUPTI 13.0"), or the reason why there is none
};

}  // namespace graphbench
