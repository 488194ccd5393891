// A device's own records of its work: one per operation, with its times. They are an independent check of
// graphbench's times. Recording perturbs the work, so no latency is taken while it is on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphbench {

struct Activity {
  enum class Kind : std::uint8_t { kernel, copy, fill } kind = Kind::kernel;
  std::string name;
  // Times of std::chrono::steady_clock, like the host's own.
  double start_seconds = 0;
  double end_seconds = 0;
};

// Records from construction to destruction. A process has at most one at a time, used from the thread that
// uses the device.
class ActivityProfiler {
 public:
  virtual ~ActivityProfiler() = default;
  // Everything that ran since the last call, by start time. Synchronise the streams first: work still
  // running may be missing.
  virtual std::vector<Activity> collect() = 0;
};

// A profiler, or the reason why there is none.
struct ProfilerResult {
  std::unique_ptr<ActivityProfiler> profiler;
  std::string detail;  // the recorder's name ("CUPTI 13.0"), or the reason why there is none
};

}  // namespace graphbench
