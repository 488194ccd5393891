// The results of `graphbench floor` as plain data: the document `graphbench.floors/1`.
#pragma once

#include <string>

#include "harness/model/result.hpp"

namespace graphbench::model {

struct FloorsDocument {
  std::string tool_version;
  std::string tool_commit;
  std::string measured_at;  // RFC 3339, UTC
  Environment environment;  // with its floors
};

}  // namespace graphbench::model
