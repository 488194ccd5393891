// Shell scripts that tests run instead of a worker process, with commands that send what a worker sends.
#pragma once

#include <string>
#include <vector>

#include "harness/measure/worker/worker_fields.hpp"

namespace graphbench::test {

inline std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

inline std::string sends_line(const std::string& line) {
  return "printf '%s\\n' '" + line + "' >&3; ";
}

inline std::string sends(const worker::WorkerEvent& event) {
  return sends_line(codec::write_data(event));
}

}  // namespace graphbench::test
