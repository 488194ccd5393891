// Both ends of a child process. The parent's starts it with its pipes connected; the child's dies with its
// parent, reads its request from stdin, sends lines on descriptor 3. The supervisor waits.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/files.hpp"

namespace graphbench::process {

// The descriptor that child processes send lines on: stdout and stderr belong to what plugins print.
inline constexpr int event_descriptor = 3;

// Asks the kernel to kill this process when its parent dies. `parent`: the parent's process id as text,
// or "" where a person started this by hand. False if the parent is gone already.
bool die_with_parent(std::string_view parent);

// All of stdin. Throws Error(io).
std::string read_request();

// Takes `event_descriptor` for this process alone, so that processes that a plugin starts do not inherit it.
// Throws Error(io) if it is not open.
void claim_event_descriptor();

// The frame of a child's main function: it dies with `parent`, takes the event descriptor, and hands the
// request to `answer`, which returns the exit code. An exception becomes a line on stderr, which the parent
// quotes, and exit code 1. `name`: "worker".
int child_main(const char* name, std::string_view parent,
               const std::function<int(const std::string& request)>& answer);

// Writes `line` and a newline. Throws Error(io), also if the reader is gone.
void send_line(std::string_view line);

struct SpawnedChild {
  pid_t pid = -1;
  Descriptor events;  // read end of its descriptor 3
  Descriptor output;  // read end of its stdout and stderr
};

// Starts it in a process group of its own, with default signal handling and `input` on its stdin.
// `environment` holds "NAME=VALUE" entries that are added to or replace this process's own, without Google
// Benchmark's BENCHMARK_*. Throws Error(io).
SpawnedChild spawn(const std::vector<std::string>& argv, const std::string& input,
                   const std::vector<std::string>& environment);

// From here on, processes that children of this process leave behind become its own children, even if they
// have left their group and session. Its present children were there before, and stay.
void adopt_orphans();

// Kills all adopted processes. To be called after a child was waited for.
void end_orphans() noexcept;

}  // namespace graphbench::process
