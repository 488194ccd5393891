// Reads the stacks that Python's faulthandler writes when a signal comes.
#include "harness/measure/ranks/stacks.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"

namespace graphbench::ranks {
namespace {

constexpr std::size_t frames_max = 6;

// Makes "all_reduce at step.py:31" from `  File "/home/me/step.py", line 31 in all_reduce`; "" from other
// text.
std::string frame_of(const std::string& line) {
  const std::size_t file = line.find('"');
  const std::size_t file_end = line.find("\", line ");
  const std::size_t in = line.rfind(" in ");
  if (file == std::string::npos || file_end == std::string::npos || in == std::string::npos) return {};
  const std::string path = line.substr(file + 1, file_end - file - 1);
  const std::size_t number = file_end + std::string_view("\", line ").size();
  return line.substr(in + 4) + " at " + path.substr(path.rfind('/') + 1) + ":" +
         line.substr(number, in - number);
}

}  // namespace

std::string call_of(const std::string& dump) {
  std::vector<std::string> frames;
  for (const std::string& line : split(dump, '\n')) {
    if (line.find("most recent call first") != std::string::npos) frames.clear();  // another thread
    const std::string frame = frame_of(line);
    if (frame.empty()) continue;
    if (frame.find(" at graphbench.py:") == std::string::npos) {
      frames.push_back(frame);
    } else if (!frames.empty()) {  // below the step's frames, in its thread alone, are those that call it
      if (frames.size() > frames_max) frames.resize(frames_max);
      return join(frames, " < ");
    }
  }
  return {};
}

Stacks::Stacks() : file_(memfd_create("graphbench-stacks", MFD_CLOEXEC)) {
  if (file_.get() < 0) throw Error(ErrorCode::io, "make a file for stacks");
}

std::string Stacks::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_.get());
}

std::string Stacks::read(pid_t process) {
  struct stat now {};
  ready_ = ready_ || (fstat(file_.get(), &now) == 0 && now.st_size > 0);
  if (!ready_ || ftruncate(file_.get(), 0) != 0) return {};
  ::kill(process, SIGUSR1);
  off_t before = 0;
  for (int turn = 0; turn < 20; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (fstat(file_.get(), &now) == 0 && now.st_size > 0 && now.st_size == before) break;
    before = now.st_size;
  }
  std::string text(static_cast<std::size_t>(now.st_size), '\0');
  const ssize_t got = pread(file_.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace graphbench::ranks
