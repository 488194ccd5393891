// Names spans of time for profilers of other makers, such as Nsight Systems, by NVTX. Without a profiler a
// span costs a comparison; it has no place between a sample's two clock reads all the same.
#pragma once

#include <string>

namespace graphbench {

// A span of the calling thread, from construction to destruction, in the domain "graphbench". Spans of a
// thread end in the reverse order of their beginnings.
class StageRange {
 public:
  explicit StageRange(const std::string& name);
  ~StageRange();
  StageRange(const StageRange&) = delete;
  StageRange& operator=(const StageRange&) = delete;

  // Whether this build can name spans: false if NVTX's header was missing.
  static bool are_built_in() noexcept;
};

}  // namespace graphbench
