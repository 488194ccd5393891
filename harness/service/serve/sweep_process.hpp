// One sweep as a child process, this binary's --sweep, so that a crash ends only that sweep.
#pragma once

#include <sys/types.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace graphbench::serve {

struct SweepExit {
  int exit_code = 0;   // meaningless where a signal ended it
  int signal = 0;      // 0: none
  std::string output;  // the last of its stdout and stderr together
};

class SweepProcess {
 public:
  // `argv[0]` is the file to run, `input` its stdin. Throws Error(io) if it cannot be started.
  explicit SweepProcess(const std::vector<std::string>& argv, const std::string& input = "");
  // A child that still runs is killed.
  ~SweepProcess();
  SweepProcess(const SweepProcess&) = delete;
  SweepProcess& operator=(const SweepProcess&) = delete;

  // Runs, once, until the child has ended; `on_line` gets every line on its descriptor 3, on this thread.
  SweepExit run(const std::function<void(std::string_view line)>& on_line);

  // Sends SIGTERM, which makes a sweep keep what it measured, and SIGKILL `grace` later, from any thread.
  void stop(std::chrono::milliseconds grace);

 private:
  void read_events(const std::function<void(std::string_view)>& on_line);
  void read_output();
  void reap();
  void end_child() noexcept;

  boost::asio::io_context io_;
  boost::asio::posix::stream_descriptor child_;
  boost::asio::posix::stream_descriptor events_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::steady_timer kill_;
  std::string lines_;
  std::array<char, 4096> chunk_{};
  pid_t pid_ = -1;
  SweepExit exit_;
};

}  // namespace graphbench::serve
