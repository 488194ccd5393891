// Lets the services of one user on one machine take turns, so that only one sweep runs at a time.
#pragma once

#include <string>

#include "graphs/base/files.hpp"

namespace graphbench::service {

// The first of XDG_RUNTIME_DIR, /run/lock and TMPDIR that this process can write to; /tmp if there is none.
std::string turn_folder();

// Takes and keeps the turn, at most until the process ends. Not thread-safe.
class MachineTurn {
 public:
  // Throws Error(io) if `folder` cannot hold the locks. If `folder` is empty, try_take() is always true.
  explicit MachineTurn(const std::string& folder);

  // True if this service has the turn. If not, this service becomes the next one, unless another service
  // already is the next one.
  bool try_take();
  void give_back();

 private:
  Descriptor next_;
  Descriptor running_;
  bool is_next_ = false;
  bool is_running_ = false;
};

}  // namespace graphbench::service
