// Says in words how a child process ended.
#pragma once

#include <string>
#include <string_view>

#include "graphs/base/process/process_supervisor.hpp"

namespace graphbench::process {

// The second half of a sentence about the child: "crashed with SIGSEGV", "was silent for more than 120 s and
// was killed", "sent an invalid message (why) and was killed", "ended with exit code 1", followed by the last
// output of the child. `during` follows the verb: "in phase capture of batch 8".
std::string how_it_ended(const ChildExit& exit, double silent_seconds_max, const std::string& during = "");

// "SIGSEGV", "signal 64".
std::string signal_name(int signal);

// The last lines of a child's output, joined to one line of at most 400 bytes. Empty if there is no output.
std::string last_lines(std::string_view output);

// "120 s", "0.5 s"
std::string seconds_text(double seconds);

}  // namespace graphbench::process
