// Shell scripts that tests run instead of a child process, with commands that send what it sends.
#pragma once

#include <string>
#include <vector>

namespace graphbench::test {

inline std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

inline std::string sends_line(const std::string& line) {
  return "printf '%s\\n' '" + line + "' >&3; ";
}

}  // namespace graphbench::test
