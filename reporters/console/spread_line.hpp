// How far launches lie apart, beside how far the steps of one do: whether more launches or more samples help.
#pragma once

#include <string>

#include "harness/model/result.hpp"

namespace graphbench::reporters {

// The spreads of latency in the median cell and the worst, mode by mode; empty below two launches.
std::string spread_line(const model::Result& result);

}  // namespace graphbench::reporters
