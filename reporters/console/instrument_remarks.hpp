// Warnings about the machine that a result was measured on, each with what to do about it.
#pragma once

#include <string>
#include <vector>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

// Pure: from what the instruments wrote into the result.
std::vector<std::string> instrument_warnings(const model::Result& result);

// Of them, those about the CPU: governor, load, quota, pinning.
std::vector<std::string> cpu_warnings(const model::Environment& environment);

// What the two witnesses of a profiled sweep say of each other: the cell in which they differ most, and
// what recording does to the steps. Empty where nothing was profiled.
std::string witness_line(const model::Result& result);

}  // namespace graphbench::reporters
