// What every child process of graphbench does with its pipes: die with its parent, read its request
// from stdin, send lines on descriptor 3.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace graphbench::process {

// The descriptor that child processes send lines on: stdout and stderr belong to what plugins print.
inline constexpr int event_descriptor = 3;

// Asks the kernel to kill this process when its parent dies. `parent`: the parent's process id as text,
// or "" where a person started this by hand. False where the parent is gone already.
bool die_with_parent(std::string_view parent);

// All of stdin. Throws Error(io).
std::string read_request();

// Takes `event_descriptor` for this process alone: what a plugin starts does not inherit it. Throws
// Error(io) where it is not open.
void claim_event_descriptor();

// What the main function of a child does around its work: dies with `parent`, takes the event descriptor, and
// hands the request to `answer`, which returns the exit code. What that throws becomes a line on stderr,
// which the parent quotes, and exit code 1. `name`: "worker".
int child_main(const char* name, std::string_view parent,
               const std::function<int(const std::string& request)>& answer);

// Writes `line` and a newline. Throws Error(io), also where the reader is gone.
void send_line(std::string_view line);

}  // namespace graphbench::process
