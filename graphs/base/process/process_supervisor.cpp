// Runs one event loop (Boost.Asio, one thread) for pipes, deadlines, ended children and Ctrl-C.
#include "graphs/base/process/process_supervisor.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"

namespace graphbench::process {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t output_bytes_max = 64 * 1024;
// One line holds a cell with all its samples.
constexpr std::size_t line_bytes_max = 256 * 1024 * 1024;
// A child that still runs this long after SIGKILL hangs in the kernel, and the sweep stops waiting.
constexpr std::chrono::seconds kill_patience{30};
constexpr std::chrono::seconds tick_interval{1};

// Each handler holds a shared_ptr to the object, so that the object exists when a handler runs late.
class RunningChild : public std::enable_shared_from_this<RunningChild> {
 public:
  // `result` must exist until the child has finished.
  RunningChild(asio::io_context& io, const ChildCommand& command, LineHandler on_line, ChildExit& result)
      : silent_max_(std::chrono::duration_cast<SteadyClock::duration>(
            std::chrono::duration<double>(command.silent_seconds_max))),
        on_line_(std::move(on_line)),
        children_(io, SIGCHLD),
        silence_(io),
        events_(io),
        output_(io),
        result_(result) {
    SpawnedChild child =
        command.work ? fork_child(command.work) : spawn(command.argv, command.input, command.environment);
    pid_ = result.pid = child.pid;
    events_.assign(child.events.release());
    events_.non_blocking(true);
    if (command.work) return;
    output_.assign(child.output.release());
    output_.non_blocking(true);
  }

  void start() {
    read(events_, &RunningChild::take_available_events);
    if (output_.is_open()) read(output_, &RunningChild::take_available_output);
    watch_silence(silent_max_);
    watch_children();
    reap();  // the child may have ended before SIGCHLD was watched
  }

  bool runs() const { return !finished_; }

  void kill(ChildExit::How how) {
    if (finished_ || killed_) return;
    killed_ = true;
    result_.how = how;
    signal_group();
    watch_silence(kill_patience);
  }

  void abandon() noexcept {
    if (finished_) return;
    signal_group();
    int status = 0;
    waitpid(pid_, &status, 0);
    finished_ = true;
  }

  void reap() {
    int status = 0;
    if (finished_ || waitpid(pid_, &status, WNOHANG) != pid_) return;
    // Kills what the child started, which may keep the pipes open. The kernel does not use a process id
    // again while a group with that id has members, and for an empty group kill() returns a harmless error.
    ::kill(-pid_, SIGKILL);
    end_orphans();
    drain();
    if (!killed_) {
      result_.how = WIFSIGNALED(status) ? ChildExit::How::signalled : ChildExit::How::exited;
      result_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    }
    finish();
  }

 private:
  void signal_group() noexcept {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
  }

  // Waits for data and then reads without blocking. With an asynchronous read, the child's end could be
  // handled before the read's handler, and the bytes would be lost.
  void read(asio::posix::stream_descriptor& pipe, bool (RunningChild::*take_available)()) {
    pipe.async_wait(asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this(), &pipe, take_available](error_code error) {
                      if (error || self->finished_) return;
                      if ((self.get()->*take_available)()) self->read(pipe, take_available);
                    });
  }

  // Passes on what the pipe contains now, without waiting. Returns false at the end of the file.
  bool take_available_events() {
    error_code error;
    while (const std::size_t got = events_.read_some(asio::buffer(event_chunk_), error)) take_events(got);
    return error == asio::error::would_block;
  }

  bool take_available_output() {
    error_code error;
    while (const std::size_t got = output_.read_some(asio::buffer(output_chunk_), error)) take_output(got);
    return error == asio::error::would_block;
  }

  void take_output(std::size_t got) {
    result_.output.append(output_chunk_.data(), got);
    if (result_.output.size() > 2 * output_bytes_max) trim_output();
  }

  void trim_output() {
    if (result_.output.size() > output_bytes_max)
      result_.output.erase(0, result_.output.size() - output_bytes_max);
  }

  void take_events(std::size_t got) {
    if (killed_ && result_.how == ChildExit::How::refused) return;
    pending_.append(event_chunk_.data(), got);
    try {
      std::size_t begin = 0;
      for (std::size_t end = pending_.find('\n', scanned_); end != std::string::npos;
           end = pending_.find('\n', begin)) {
        on_line_(std::string_view(pending_).substr(begin, end - begin));
        begin = end + 1;
        if (!killed_) watch_silence(silent_max_);
      }
      pending_.erase(0, begin);
      scanned_ = pending_.size();
      if (pending_.size() > line_bytes_max)
        throw Error(ErrorCode::io,
                    "read events: a line has more than " + std::to_string(line_bytes_max) + " bytes");
    } catch (const std::bad_alloc&) {
      throw;  // this process lacks memory: the child did nothing wrong
    } catch (const std::exception& error) {
      result_.refusal = error.what();
      kill(ChildExit::How::refused);
      result_.how = ChildExit::How::refused;
    }
  }

  void watch_silence(std::chrono::steady_clock::duration allowed) {
    silence_.expires_after(allowed);
    silence_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->finished_) return;
      if (self->killed_) {
        self->finish();
      } else {
        self->kill(ChildExit::How::timed_out);
      }
    });
  }

  void watch_children() {
    children_.async_wait([self = shared_from_this()](error_code error, int) {
      if (error || self->finished_) return;
      self->reap();
      if (!self->finished_) self->watch_children();
    });
  }

  // Reads the bytes that are left: after the child has ended, the pipes contain everything that it wrote.
  void drain() {
    take_available_events();
    take_available_output();
  }

  void finish() {
    finished_ = true;
    result_.ended_ns = steady_ns();
    trim_output();
    error_code error;
    events_.close(error);
    output_.close(error);
    children_.cancel(error);
    silence_.cancel();
  }

  std::chrono::steady_clock::duration silent_max_;
  const LineHandler on_line_;
  asio::signal_set children_;
  asio::steady_timer silence_;
  asio::posix::stream_descriptor events_;
  asio::posix::stream_descriptor output_;
  std::array<char, 65536> event_chunk_{};
  std::array<char, 16384> output_chunk_{};
  std::string pending_;
  std::size_t scanned_ = 0;
  pid_t pid_ = -1;
  bool killed_ = false;
  bool finished_ = false;
  ChildExit& result_;
};

}  // namespace

class ProcessSupervisor::Impl {
 public:
  Impl() : stop_signals_(io_, SIGINT, SIGTERM) {
    struct sigaction at_hangup {};
    ::sigaction(SIGHUP, nullptr, &at_hangup);
    // nohup starts a program with SIGHUP ignored, and the program must then keep running.
    if (at_hangup.sa_handler != SIG_IGN) stop_signals_.add(SIGHUP);
    adopt_orphans();
    watch();
  }

  bool interrupted() {
    io_.restart();
    io_.poll();
    return interrupted_;
  }

  std::vector<ChildExit> run(const std::vector<ChildCommand>& commands, const ChildLineHandler& on_line,
                             const WatchHandler& watch) {
    if (interrupted()) return {commands.size(), ChildExit{.how = ChildExit::How::interrupted}};
    std::vector<ChildExit> exits(commands.size());
    try {
      for (std::size_t i = 0; i < commands.size(); ++i) {
        const auto take = [&on_line, i](std::string_view line) { on_line(i, line); };
        children_.push_back(std::make_shared<RunningChild>(io_, commands[i], take, exits[i]));
        children_.back()->start();
      }
      auto tick = SteadyClock::now() + tick_interval;
      while (std::ranges::any_of(children_, &RunningChild::runs)) {
        io_.restart();
        io_.run_one_until(tick);
        if (SteadyClock::now() < tick) continue;
        tick = SteadyClock::now() + tick_interval;
        for (const auto& child : children_) child->reap();  // finds an ended child even if SIGCHLD was lost
        if (!watch(exits)) kill(ChildExit::How::timed_out);
      }
    } catch (...) {
      for (const auto& child : children_) child->abandon();
      children_.clear();
      throw;
    }
    children_.clear();
    return exits;
  }

 private:
  void watch() {
    stop_signals_.async_wait([this](error_code error, int) {
      if (error) return;
      interrupted_ = true;
      kill(ChildExit::How::interrupted);
      watch();
    });
  }

  void kill(ChildExit::How how) {
    for (const auto& child : children_) child->kill(how);
  }

  asio::io_context io_;
  asio::signal_set stop_signals_;
  bool interrupted_ = false;
  std::vector<std::shared_ptr<RunningChild>> children_;
};

std::vector<std::string> own_command(const std::string& role) {
  return {"/proc/self/exe", role, std::to_string(getpid())};
}

ProcessSupervisor::ProcessSupervisor() : impl_(std::make_unique<Impl>()) {}
ProcessSupervisor::~ProcessSupervisor() = default;

ChildExit ProcessSupervisor::run(const ChildCommand& command, const LineHandler& on_line,
                                 const TickHandler& on_tick) {
  const auto watch = [&](const std::vector<ChildExit>&) {
    if (on_tick) on_tick();
    return true;
  };
  return run_all(
             {command}, [&](std::size_t, std::string_view line) { on_line(line); }, watch)
      .front();
}

std::vector<ChildExit> ProcessSupervisor::run_all(const std::vector<ChildCommand>& commands,
                                                  const ChildLineHandler& on_line,
                                                  const WatchHandler& watch) {
  return impl_->run(commands, on_line, watch);
}

ChildExit ProcessSupervisor::ask(const ChildCommand& command, const LineHandler& on_line) {
  ChildExit exit = run(command, on_line);
  if (exit.how == ChildExit::How::interrupted) throw Interrupted();
  return exit;
}

bool ProcessSupervisor::interrupted() {
  return impl_->interrupted();
}

}  // namespace graphbench::process
