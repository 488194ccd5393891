// Starts the workers of a group, and ends the group when a rank fails alone, crashes or hangs. Only rank 0
// inherits the descriptor of events.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <regex>
#include <thread>

#include "graphs/base/clock.hpp"
#include "graphs/base/process/child_io.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/ranks/rank.hpp"
#include "harness/measure/worker/protocol.hpp"
#include "harness/model/axes.hpp"

namespace graphbench::ranks {
namespace {

constexpr double grace_seconds = 3;  // from the first failure until the other ranks must have ended

void pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

struct MemoryFile {
  Descriptor file{memfd_create("graphbench-ranks", MFD_CLOEXEC)};
  // Children open the file by this path.
  std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file.get());
  std::string text() const { return read_whole_file(path, 1 << 24).text; }
};

// Returns a loopback port that is free now. The port is not reserved.
std::string free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.get(), any, size) != 0 || getsockname(socket.get(), any, &size) != 0)
    throw Error(ErrorCode::io, "find a free port for ranks");
  return std::to_string(ntohs(address.sin_port));
}

struct Worker {
  pid_t pid = 0;
  bool running = true;
  int status = 0;
  MemoryFile stacks = {};
  std::string step = {};  // the step's function; empty: unknown
};

class Group {
 public:
  Group(model::WorkerTask task, std::vector<std::string> command, double hang_seconds)
      : task_(std::move(task)),
        command_(std::move(command)),
        usual_(hang_seconds),
        workers_(static_cast<std::size_t>(model::ranks_of(task_))) {
    if (ftruncate(memory_.file.get(), sizeof(Block)) != 0)
      throw Error(ErrorCode::io, "make memory for ranks");
    block_ = static_cast<Block*>(
        mmap(nullptr, sizeof(Block), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.file.get(), 0));
  }

  int run(const std::string& request) {
    const MemoryFile input;
    write_all(input.file.get(), request);
    const std::string count = std::to_string(workers_.size());
    const auto set = [](const char* name, const std::string& value) { setenv(name, value.c_str(), 1); };
    set("MASTER_ADDR", "127.0.0.1");
    set("MASTER_PORT", free_port());
    set("WORLD_SIZE", count);
    set("LOCAL_WORLD_SIZE", count);
    set(block_variable, memory_.path);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      set("RANK", std::to_string(i));
      set("LOCAL_RANK", std::to_string(i));
      set(stacks_variable, workers_[i].stacks.path);
      start(i, input.path);
    }
    std::optional<model::Reason> reason;
    while (!reason && std::ranges::any_of(workers_, &Worker::running)) {
      pause(50);
      reap();
      if (broken_at_ && broken_at_->seconds() > grace_seconds) break;
      if (!broken_at_) reason = reason_of_hang();
    }
    if (broken_at_ && broken_ > 0) reason = failure_of(broken_);
    end_workers();
    if (reason) process::send_line(worker::encode_event({.error = reason}));
    return reason ? 1 : broken_at_ ? end_alike() : 0;
  }

 private:
  // This process has one thread, so that fork() is safe.
  void start(std::size_t index, const std::string& input) {
    workers_[index].pid = fork();
    if (workers_[index].pid != 0) return;
    dup2(open(input.c_str(), O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    if (index > 0) dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), process::event_descriptor);
    fcntl(process::event_descriptor, F_SETFD, 0);
    std::vector<char*> arguments;
    for (std::string& argument : command_) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    execv(arguments.front(), arguments.data());
    _exit(127);
  }

  void reap() {
    for (Worker& worker : workers_) {
      if (!worker.running || waitpid(worker.pid, &worker.status, WNOHANG) != worker.pid) continue;
      worker.running = false;
      if (worker.status == 0 || broken_at_) continue;
      broken_at_.emplace();
      broken_ = static_cast<std::size_t>(&worker - workers_.data());
    }
  }

  // Returns the error in the rank's slot, if the rank has failed. Other ranks may then still wait for it.
  std::optional<model::Reason> failure_of(std::size_t rank) const {
    const std::optional<Error> error = error_of(block_->slots[rank]);
    if (!error) return std::nullopt;
    return model::Reason{std::string(name_of(error->code())),
                         "rank " + std::to_string(rank) + ": " + error->what()};
  }

  // The time without progress that counts as a hang. It is short after a failure, and longer while ranks
  // start or compile: they may then wait long for other processes, with unchanged stacks.
  double hang_seconds() const {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (failure_of(i)) return std::min(usual_, grace_seconds);
    }
    const bool compiles =
        task_.mode.find('.') != std::string::npos || task_.more_axes.contains("torch-compile");
    const std::string_view phase = block_->slots[0].phase;
    if (phase.empty() || (compiles && phase == "open")) return 4 * usual_;
    return phase == "open" ? 2 * usual_ : usual_;  // in "open" the first collective makes communicators
  }

  // A group hangs if no rank makes progress for hang_seconds(), with equal stacks at half and at full time.
  std::optional<model::Reason> reason_of_hang() {
    std::int64_t moves = 0;
    for (const Slot& slot : block_->slots) moves += slot.moves;
    if (moves != std::exchange(moves_, moves)) quiet_ = Stopwatch();
    const double limit = hang_seconds();
    if (quiet_.seconds() < limit / 2) calls_.clear();
    if (quiet_.seconds() < (calls_.empty() ? limit / 2 : limit)) return std::nullopt;
    const std::vector<std::string> before = std::exchange(calls_, {});
    for (Worker& worker : workers_) calls_.push_back(call_of(stacks_of(worker)));
    if (before != calls_) {
      if (!before.empty()) quiet_ = Stopwatch();
      return std::nullopt;
    }
    std::string text =
        "the ranks hang (no progress in " + std::to_string(std::lround(quiet_.seconds())) + " s)";
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (const std::optional<model::Reason> failure = failure_of(i)) return failure;
      text += (i == 0 ? ": rank " : "; rank ") + std::to_string(i) + " " + position_of(i);
    }
    return model::Reason{"worker_timeout", text};
  }

  // Python writes "ready" to the file once it handles SIGUSR1. Before that, the signal would end the worker,
  // so none is sent. Then Python writes the step's function, and at each SIGUSR1 the stacks of all threads.
  static std::string stacks_of(Worker& worker) {
    const std::string before = worker.stacks.text();
    if (before.starts_with("ready")) worker.step = call_of(before);
    if (!worker.running || before.empty() || ftruncate(worker.stacks.file.get(), 0) != 0) return {};
    ::kill(worker.pid, SIGUSR1);
    pause(200);
    return worker.stacks.text();
  }

  std::string position_of(std::size_t rank) const {
    const Slot& slot = block_->slots[rank];
    const Worker& worker = workers_[rank];
    const std::string text = "at step " + std::to_string(slot.steps) + " in mode " + task_.mode + ", phase " +
                             slot.phase + " of batch " + std::to_string(slot.batch) + ", ";
    if (!worker.running) return text + "has ended";
    if (!calls_[rank].empty()) return text + "in " + calls_[rank];
    return text + (slot.waiting ? "waits for the other ranks" : "waits for its device") +
           (worker.step.empty() ? "" : " after " + worker.step);
  }

  void end_workers() {
    for (const Worker& worker : workers_) {
      if (worker.running) ::kill(worker.pid, SIGKILL);
    }
    for (const Stopwatch watch; watch.seconds() < 30 && std::ranges::any_of(workers_, &Worker::running);) {
      pause(20);
      reap();
    }
  }

  // Ends this process as the first failed rank ended. The parent reports that end, with the rank's output.
  int end_alike() const {
    const int status = workers_[broken_].status;
    std::fprintf(stderr, "rank %zu was the first to fail\n", broken_);
    if (WIFSIGNALED(status)) ::kill(getpid(), WTERMSIG(status));
    return WEXITSTATUS(status);
  }

  const model::WorkerTask task_;
  std::vector<std::string> command_;
  const double usual_;  // the usual time that counts as a hang
  std::vector<Worker> workers_;
  const MemoryFile memory_;
  Block* block_ = nullptr;
  std::optional<Stopwatch> broken_at_;  // runs since the first rank ended badly
  std::size_t broken_ = 0;
  std::int64_t moves_ = 0;
  Stopwatch quiet_;                 // runs since the last progress
  std::vector<std::string> calls_;  // each rank's innermost calls at half of hang_seconds(); empty: not read
};

}  // namespace

std::string call_of(const std::string& stacks) {
  static const std::regex frame(R"re(  File "(?:.*/)?(.*)", line (\d+) in (.*))re");
  constexpr std::size_t calls_max = 6;
  std::vector<std::string> calls;
  std::smatch found;
  for (const std::string& line : split(stacks, '\n')) {
    if (!std::regex_match(line, found, frame)) {
      calls.clear();  // the stack of another thread begins
    } else if (found[1] != "graphbench.py") {
      calls.push_back(found.format("$3 at $1:$2"));
    } else if (!calls.empty()) {  // this frame calls the step: `calls` has the step's calls
      calls.resize(std::min(calls.size(), calls_max));
      return join(calls, " < ");
    }
  }
  return {};
}

int group_main(std::string_view parent) {
  return process::child_main("ranks", parent, [&](const std::string& request) {
    std::vector<std::string> command = split(read_whole_file("/proc/self/cmdline", 1 << 20).text, '\0');
    const double hang_seconds = std::atof(command.at(3).c_str());
    command.erase(command.begin(), command.begin() + 4);
    command.pop_back();  // the text ends with a NUL
    *std::ranges::find(command, parent) = std::to_string(getpid());
    return Group(worker::decode_task(request), command, hang_seconds).run(request);
  });
}

}  // namespace graphbench::ranks
