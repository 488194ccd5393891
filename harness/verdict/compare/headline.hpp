// A comparison in one line, for terminals, pull requests and logs.
#pragma once

#include <string>

#include "harness/model/comparison.hpp"

namespace graphbench::compare {

// From everything of the comparison but its headline.
std::string headline_of(const model::Comparison& comparison);

}  // namespace graphbench::compare
