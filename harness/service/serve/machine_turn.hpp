// The turn to measure: one user's services on one machine run their sweeps one after the other.
#pragma once

#include <string>

#include "graphs/base/files.hpp"

namespace graphbench::serve {

// The first of XDG_RUNTIME_DIR, /run/lock and TMPDIR (or /tmp) that this process may write to.
std::string turn_folder();

// Takes and keeps the turn, which ends with the process at the latest. Not thread-safe.
class MachineTurn {
 public:
  // Throws Error(io) if `folder` cannot hold the locks. An empty name means that there are no other services.
  explicit MachineTurn(const std::string& folder);

  // True if this service has the turn now. A refused one is next, before the present one measures again.
  bool try_take();
  void give_back();

 private:
  Descriptor next_;
  Descriptor running_;
  bool is_next_ = false;
  bool is_running_ = false;
};

}  // namespace graphbench::serve
