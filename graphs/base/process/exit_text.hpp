// Says in words how a child process ended.
#pragma once

#include <string>
#include <string_view>

#include "graphs/base/process/process_supervisor.hpp"

namespace graphbench::process {

// The second half of a sentence about the child: "crashed with SIGSEGV in phase capture of batch 8; its
// output: ...". `during`: "in phase capture of batch 8", or "".
std::string how_it_ended(const ChildExit& exit, double silent_seconds_max, const std::string& during = "");

// "SIGSEGV", "signal 64".
std::string signal_name(int signal);

// The last three lines of `output` that are not empty, joined to one line of at most 400 bytes.
std::string last_lines(std::string_view output);

std::string seconds_text(double seconds);

}  // namespace graphbench::process
