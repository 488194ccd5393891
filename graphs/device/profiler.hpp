// What a device did by its own records: one an operation, with its times. They check the times that
// graphbench takes independently. Recording perturbs the work, so no latency is ever taken while it is on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphbench {

struct Activity {
  enum class Kind : std::uint8_t { kernel, copy, fill } kind = Kind::kernel;
  std::string name;
  // Of std::chrono::steady_clock, so that they stand beside the host's own times.
  double start_seconds = 0;
  double end_seconds = 0;
};

// Records from construction to destruction; at most one a process at a time. Used from the thread that
// uses the device.
class ActivityProfiler {
 public:
  virtual ~ActivityProfiler() = default;
  // Everything that ran since the last call, by start time. Synchronise the streams first: work still
  // running may be missing.
  virtual std::vector<Activity> collect() = 0;
};

// Either a profiler or why there is none.
struct ProfilerResult {
  std::unique_ptr<ActivityProfiler> profiler;
  std::string detail;  // what records ("CUPTI 13.0"), or why nothing can
};

}  // namespace graphbench
