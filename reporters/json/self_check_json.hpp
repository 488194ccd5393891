// What a self-check found, as the document `graphbench.selfcheck/1`.
#pragma once

#include <string>

#include "harness/model/self_check.hpp"

namespace graphbench::reporters {

std::string to_json(const model::SelfCheck& check);

}  // namespace graphbench::reporters
