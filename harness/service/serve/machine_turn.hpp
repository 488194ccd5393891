// Whose turn it is to measure: the services of one user on one machine run their sweeps one after the other.
#pragma once

#include <string>

#include "harness/process/spawn.hpp"

namespace graphbench::serve {

// The first of XDG_RUNTIME_DIR, /run/lock and TMPDIR (or /tmp) that this process may write to.
std::string turn_folder();

// Nobody's turn outlives its process. Not thread-safe.
class MachineTurn {
 public:
  // Throws Error(io) where there can be no locks in `folder`. Empty: every turn is ours.
  explicit MachineTurn(const std::string& folder);

  // Whether it is ours now. Who was refused is next, before whoever has it may have it again.
  bool try_take();
  void give_back();

 private:
  process::Descriptor next_;
  process::Descriptor running_;
  bool is_next_ = false;
  bool is_running_ = false;
};

}  // namespace graphbench::serve
