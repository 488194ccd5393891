// The parent's and the child's side of a child process. The parent starts the child with its pipes
// connected. The child dies with its parent, reads its request from stdin and sends lines on descriptor 3.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/files.hpp"

namespace graphbench::process {

// Children send lines on this descriptor, because plugins may print to stdout and stderr.
inline constexpr int event_descriptor = 3;

// Asks the kernel to kill this process when its parent dies. `parent`: the parent's process id as text, or ""
// if a person started this process. Returns false if the parent is dead already.
bool die_with_parent(std::string_view parent);

// Reads stdin to its end. Throws Error(io).
std::string read_request();

// Keeps a plugin's child processes from inheriting descriptor 3. Throws Error(io) if that is not open.
void claim_event_descriptor();

// Dies with `parent`, claims the event descriptor and passes the request to `answer`, which returns the exit
// code. On an exception, prints a line on stderr, which the parent quotes, and returns 1.
int child_main(const char* name, std::string_view parent,
               const std::function<int(const std::string& request)>& answer);

// Writes `line` and a newline to descriptor 3. Throws Error(io), also if no process reads the pipe.
void send_line(std::string_view line);

struct SpawnedChild {
  pid_t pid = -1;
  Descriptor events;  // read end of the child's descriptor 3
  Descriptor output;  // read end of the child's stdout and stderr
};

// Starts a child in its own process group, with default signals and `input` on stdin. `environment` has texts
// "NAME=VALUE", which extend or replace this process's variables; the child gets no BENCHMARK_* variables of
// this process. Throws Error(io).
SpawnedChild spawn(const std::vector<std::string>& argv, const std::string& input,
                   const std::vector<std::string>& environment);

using SendLine = std::function<void(std::string_view line)>;
// What a fork of this process does. Sends lines to the parent by `send`, and returns the exit code.
using ForkedWork = std::function<int(const SendLine& send)>;

// Like spawn(), but the child is a fork, with this process's memory, streams and open files. Only for a
// process without other threads. The child ends without running destructors, and `output` is not open.
// Throws Error(io).
SpawnedChild fork_child(const ForkedWork& work);

struct ProcessStat {
  pid_t pid = 0;
  pid_t parent = 0;
  std::int64_t ticks = 0;  // CPU time, which includes that of ended children
};

// All processes of the machine.
std::vector<ProcessStat> read_processes();

// From now on, this process becomes the parent of every process that its children leave behind, even in
// another group or session. end_orphans() does not kill the children that exist already.
void adopt_orphans();

// Kills all adopted processes. Call it after waiting for the child.
void end_orphans() noexcept;

}  // namespace graphbench::process
