// Python's stack of another process, as faulthandler writes it.
#pragma once

#include <sys/types.h>

#include <string>

#include "graphs/base/files.hpp"

namespace graphbench::ranks {

// Returns the innermost calls of the step in a dump of all threads: "all_reduce at step.py:31 < step at
// step.py:40". Empty: no thread is in the step.
std::string call_of(const std::string& dump);

class Stacks {
 public:
  Stacks();
  std::string path() const;
  // Returns the dump. Empty, without a signal, if the process never wrote to the file: it runs no Python.
  std::string read(pid_t process);

 private:
  Descriptor file_;
  bool ready_ = false;
};

}  // namespace graphbench::ranks
