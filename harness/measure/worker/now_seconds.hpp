// One clock for what a worker times on the host.
#pragma once

#include <chrono>

namespace graphbench::worker {

// Of the steady clock, since an arbitrary start.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace graphbench::worker
