// The words for how a child process ended.
#pragma once

#include <string>
#include <string_view>

namespace graphbench::sweep {

// "SIGSEGV", "signal 64".
std::string signal_name(int signal);

// The last lines of a child's output as one line of at most 400 bytes; empty for none.
std::string last_lines(std::string_view output);

// "120 s", "0.5 s"
std::string seconds_text(double seconds);

}  // namespace graphbench::sweep
