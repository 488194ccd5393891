// Runs one sweep as a child process, `graphbench --sweep`, so that a crash ends only that sweep.
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

namespace graphbench::service {

struct SweepExit {
  int exit_code = 0;   // invalid if a signal ended the process
  int signal = 0;      // 0: none
  std::string output;  // the end of stdout and stderr together
};

class SweepProcess {
 public:
  // `argv[0]` is the file to run, `input` is its stdin. Throws Error(io) if the process cannot be started.
  explicit SweepProcess(const std::vector<std::string>& argv, const std::string& input = "");
  // Kills the child if it still runs.
  ~SweepProcess();
  SweepProcess(const SweepProcess&) = delete;
  SweepProcess& operator=(const SweepProcess&) = delete;

  // Waits until the child has ended; to be called once. Passes each line of descriptor 3 to `on_line`.
  SweepExit run(const std::function<void(std::string_view line)>& on_line);

  // Sends SIGTERM, on which a sweep saves its measurements, and SIGKILL after `grace`. Thread-safe.
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

}  // namespace graphbench::service
