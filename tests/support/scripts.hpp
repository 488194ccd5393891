// Shell scripts that stand in for a child process, and what they send as a worker would.
#pragma once

#include <string>
#include <vector>

#include "harness/measure/worker/protocol.hpp"

namespace graphbench::test {

inline std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

// A shell command that sends one line.
inline std::string sends_line(const std::string& line) {
  return "printf '%s\\n' '" + line + "' >&3; ";
}

inline std::string sends(const worker::WorkerEvent& event) {
  return sends_line(worker::encode_event(event));
}

}  // namespace graphbench::test
