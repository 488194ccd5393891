// Timelines in the Chrome trace format (a JSON array of events), which timeline viewers open.
#pragma once

#include <string>
#include <vector>

#include "harness/model/instruments.hpp"

namespace graphbench::reporters {

// One process a TraceProcess, with a thread for the host's track and one for the device's. Timestamps
// in microseconds from the first span of all, so that processes stand on one axis.
std::string to_chrome_trace(const std::vector<model::TraceProcess>& processes);

}  // namespace graphbench::reporters
