// The turn to measure. Services of one user on one machine run their sweeps one after the other.
#pragma once

#include <string>

#include "graphs/base/files.hpp"

namespace graphbench::serve {

// The first of XDG_RUNTIME_DIR, /run/lock, TMPDIR and /tmp that this process can write to.
std::string turn_folder();

// Takes and keeps the turn, at most until the process ends. Not thread-safe.
class MachineTurn {
 public:
  // Throws Error(io) if `folder` cannot hold the locks. An empty name means that there are no other services.
  explicit MachineTurn(const std::string& folder);

  // True if this service has the turn. If not, it becomes the next one, unless another is next already.
  bool try_take();
  void give_back();

 private:
  Descriptor next_;
  Descriptor running_;
  bool is_next_ = false;
  bool is_running_ = false;
};

}  // namespace graphbench::serve
