// Runs child processes, and watches for SIGINT, SIGTERM and SIGHUP while they run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/process/child_io.hpp"

namespace graphbench::process {

// Thrown if the user interrupted this process before there was a result to keep.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// The command that starts this binary as a child in `role`, such as "--worker".
std::vector<std::string> own_command(const std::string& role);

struct ChildCommand {
  std::vector<std::string> argv;    // argv[0] is the path of the file to run; PATH is not searched
  std::string input;                // text for the child's stdin
  double silent_seconds_max = 120;  // time without a line on descriptor 3 after which the child is killed
  // each is "NAME=VALUE": adds a variable to those of this process, or replaces the one of that name
  std::vector<std::string> environment = {};
  ForkedWork work =
      {};  // if given, the child is a fork that does this, and argv, input, environment are empty
};

struct ChildExit {
  enum class How : std::uint8_t {
    exited,     // `status` is its exit code
    signalled,  // `signal` killed it
    timed_out,  // killed because it was silent for too long, or because a WatchHandler returned false
    interrupted,
    refused,  // killed because the line handler threw; `refusal` is the exception's text
  };
  How how = How::exited;
  int status = 0;
  int signal = 0;
  std::string refusal = {};
  std::string output = {};  // the last 64 KiB of the child's stdout and stderr together; a fork's: empty
  pid_t pid = 0;
  std::int64_t ended_ns = 0;  // steady_ns() when the child ended; 0: the child still runs

  bool well() const { return how == How::exited && status == 0; }
};

// Called per line on descriptor 3, in order, without the newline. If the handler throws, the child is killed.
using LineHandler = std::function<void(std::string_view line)>;
// Called about once per second while a child runs.
using TickHandler = std::function<void()>;
// A LineHandler for children that run at once. `child`: the index of the child's command in `commands`.
using ChildLineHandler = std::function<void(std::size_t child, std::string_view line)>;
// A TickHandler for children that run at once. Returns false to kill the children that still run.
using WatchHandler = std::function<bool(const std::vector<ChildExit>& exits)>;

// While this object exists, SIGINT, SIGTERM and SIGHUP do not end this process; they set `interrupted()`. A
// process may have one supervisor at a time, and must use it from one thread.
class ProcessSupervisor {
 public:
  ProcessSupervisor();
  ~ProcessSupervisor();
  ProcessSupervisor(const ProcessSupervisor&) = delete;
  ProcessSupervisor& operator=(const ProcessSupervisor&) = delete;

  // Runs the child in its own process group until the child ends, then kills the processes that it leaves
  // behind. Throws Error(io) if the child cannot be started.
  ChildExit run(const ChildCommand& command, const LineHandler& on_line, const TickHandler& on_tick = {});

  // Like run(), but runs several children at once until all have ended.
  std::vector<ChildExit> run_all(const std::vector<ChildCommand>& commands, const ChildLineHandler& on_line,
                                 const WatchHandler& watch);

  // Like run() without a tick handler, but throws Interrupted if the user interrupts.
  ChildExit ask(const ChildCommand& command, const LineHandler& on_line);

  bool interrupted();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::process
