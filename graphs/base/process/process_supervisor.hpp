// Runs child processes one at a time, and watches for SIGINT, SIGTERM and SIGHUP meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::process {

// The user interrupted before there was anything to keep.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// How to start this binary again as a child in `role`, such as "--worker"; tests start something else.
std::vector<std::string> own_command(const std::string& role);

struct ChildCommand {
  std::vector<std::string> argv;    // argv[0] is the path of the file to run; PATH is not searched
  std::string input;                // its stdin
  double silent_seconds_max = 120;  // a child is killed if it sends no line on descriptor 3 for longer
  std::vector<std::string> environment = {};  // "NAME=VALUE", added to this process's own or replacing them
};

struct ChildExit {
  enum class How : std::uint8_t {
    exited,       // `status` is its exit code
    signalled,    // `signal` killed it
    timed_out,    // silent for too long, killed
    interrupted,  // the user interrupted, so it was killed
    refused,      // the line handler threw: `refusal` says what
  };
  How how = How::exited;
  int status = 0;
  int signal = 0;
  std::string refusal;
  std::string output;  // the last 64 KiB of its stdout and stderr together
};

// Called for every line on descriptor 3, in order, without the newline. Where it throws, the child is killed.
using LineHandler = std::function<void(std::string_view line)>;
// Called about once per second while a child runs.
using TickHandler = std::function<void()>;

// From construction to destruction SIGINT, SIGTERM and SIGHUP do not end this process; they set
// `interrupted()`. One at a time in a process, from one thread.
class ProcessSupervisor {
 public:
  ProcessSupervisor();
  ~ProcessSupervisor();
  ProcessSupervisor(const ProcessSupervisor&) = delete;
  ProcessSupervisor& operator=(const ProcessSupervisor&) = delete;

  // Runs the child to its end, in a process group of its own; processes that it leaves behind are then
  // killed. Throws Error(io) if it cannot be started.
  ChildExit run(const ChildCommand& command, const LineHandler& on_line, const TickHandler& on_tick = {});

  // Runs a child that answers a question and ends, as run() does. Throws Interrupted if a person wants to
  // stop.
  ChildExit ask(const ChildCommand& command, const LineHandler& on_line);

  bool interrupted();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::process
