// Runs a sweep's process. A pidfd reports that the process has ended, and needs no signal handler, so that
// any thread can run a sweep.
#include "harness/service/serve/sweep_process.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"

namespace graphbench::service {
namespace {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;
using boost::system::error_code;

constexpr std::size_t output_bytes_max = 16 * 1024;
constexpr std::size_t line_bytes_max = 64 * 1024 * 1024;

}  // namespace

SweepProcess::SweepProcess(const std::vector<std::string>& argv, const std::string& input)
    : child_(io_), events_(io_), output_(io_), kill_(io_) {
  process::SpawnedChild spawned = process::spawn(argv, input, {});
  pid_ = spawned.pid;
  events_.assign(spawned.events.release());
  output_.assign(spawned.output.release());
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (descriptor < 0) {
    const int error = errno;
    end_child();
    throw Error(ErrorCode::io, std::string("watch a sweep's process: ") + std::strerror(error));
  }
  child_.assign(descriptor);
}

SweepProcess::~SweepProcess() {
  end_child();
}

SweepExit SweepProcess::run(const std::function<void(std::string_view)>& on_line) {
  read_events(on_line);
  read_output();
  child_.async_wait(stream_descriptor::wait_read, [this](error_code) { reap(); });
  io_.run();
  return std::move(exit_);
}

void SweepProcess::stop(std::chrono::milliseconds grace) {
  asio::post(io_, [this, grace] {
    if (pid_ < 0) return;
    ::kill(pid_, SIGTERM);
    kill_.expires_after(grace);
    kill_.async_wait([this](error_code error) {
      if (!error && pid_ >= 0) ::kill(pid_, SIGKILL);
    });
  });
}

void SweepProcess::read_events(const std::function<void(std::string_view)>& on_line) {
  asio::async_read_until(events_, asio::dynamic_buffer(lines_, line_bytes_max), '\n',
                         [this, &on_line](error_code error, std::size_t length) {
                           if (error) return;
                           on_line(std::string_view(lines_).substr(0, length - 1));
                           lines_.erase(0, length);
                           read_events(on_line);
                         });
}

void SweepProcess::read_output() {
  output_.async_read_some(asio::buffer(chunk_), [this](error_code error, std::size_t got) {
    if (error) return;
    exit_.output.append(chunk_.data(), got);
    if (exit_.output.size() > output_bytes_max) {
      exit_.output.erase(0, exit_.output.size() - output_bytes_max);
    }
    read_output();
  });
}

// Stores how the child ended. Then ends the child's orphans: they would keep the pipes open, and run() reads
// until the pipes close.
void SweepProcess::reap() {
  int status = 0;
  if (waitpid(pid_, &status, 0) == pid_) {
    exit_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    exit_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  }
  pid_ = -1;
  process::end_orphans();
  kill_.cancel();
}

void SweepProcess::end_child() noexcept {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
}

}  // namespace graphbench::service
