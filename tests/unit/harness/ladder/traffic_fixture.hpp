// Traffic of one file, for tests of what files may hold.
#pragma once

#include <string>

#include "harness/ladder/traffic.hpp"

namespace graphbench::ladder {

inline Traffic parse(const std::string& content) {
  return parse_traffic_files({{"t", content}});
}

}  // namespace graphbench::ladder
