// The time of day as documents hold it: RFC 3339, in UTC, in seconds.
#pragma once

#include <string>

namespace graphbench::process {

// "2026-11-21T08:15:30Z"
std::string utc_now();
double unix_seconds_now();  // with its fraction

}  // namespace graphbench::process
