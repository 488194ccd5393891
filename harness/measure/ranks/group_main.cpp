// Starts the workers of a group, and ends the group when a rank fails alone, crashes or hangs. Rank 0
// inherits the descriptor of events.
#include "harness/measure/ranks/group_main.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <regex>
#include <thread>

#include "graphs/base/clock.hpp"
#include "graphs/base/process/child_io.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/ranks/rank.hpp"
#include "harness/measure/worker/protocol.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::codec {
GB_DESCRIBE(ranks::GroupTask, command, silent_seconds_max, task);
}  // namespace graphbench::codec

namespace graphbench::ranks {
namespace {

constexpr double grace_seconds = 3;  // for ranks to end, or to fail alike, once another has

void pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

Descriptor memory_file(const char* name) {
  Descriptor file(memfd_create(name, MFD_CLOEXEC));
  if (file.get() < 0) throw Error(ErrorCode::io, std::string("make memory: ") + name);
  return file;
}

// The name by which a child opens the file.
std::string path_of(const Descriptor& file) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file.get());
}

// A port of the loopback that was free just now.
std::string free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.get(), any, size) != 0 || getsockname(socket.get(), any, &size) != 0)
    throw Error(ErrorCode::io, "find a free port for ranks");
  return std::to_string(ntohs(address.sin_port));
}

struct Worker {
  pid_t pid = 0;
  bool running = true;
  int status = 0;  // of waitpid()
  Descriptor stacks = memory_file("graphbench-stacks");
  bool has_python = false;
};

class Group {
 public:
  Group(GroupTask group, std::string_view parent)
      : group_(std::move(group)), workers_(static_cast<std::size_t>(model::ranks_of(group_.task))) {
    if (ftruncate(memory_.get(), sizeof(Block)) != 0) throw Error(ErrorCode::io, "make memory for ranks");
    block_ = static_cast<Block*>(
        mmap(nullptr, sizeof(Block), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0));
    const auto id = std::ranges::find(group_.command, parent);
    if (id != group_.command.end()) *id = std::to_string(getpid());
  }

  int run() {
    const Descriptor request = memory_file("graphbench-request");
    write_all(request.get(), worker::encode_task(group_.task));
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    setenv("MASTER_PORT", free_port().c_str(), 1);
    setenv("WORLD_SIZE", std::to_string(workers_.size()).c_str(), 1);
    setenv("LOCAL_WORLD_SIZE", std::to_string(workers_.size()).c_str(), 1);
    setenv(block_variable, path_of(memory_).c_str(), 1);
    for (std::size_t i = 0; i < workers_.size(); ++i) start(i, path_of(request));
    while (std::ranges::any_of(workers_, &Worker::running)) {
      pause(50);
      reap();
      if (broken_at_ && broken_at_->seconds() > grace_seconds) break;
      if (const std::optional<model::Reason> reason = broken_at_ ? std::nullopt : reason_of_hang())
        return end(*reason);
    }
    if (!broken_at_) return 0;
    if (const auto failure = failure_of(broken_); failure && broken_ > 0) return end(*failure);
    end_workers();
    return end_alike();
  }

 private:
  // This process has one thread, so that fork() is safe.
  void start(std::size_t index, const std::string& request) {
    workers_[index].pid = fork();
    if (workers_[index].pid != 0) return;
    setenv("RANK", std::to_string(index).c_str(), 1);
    setenv("LOCAL_RANK", std::to_string(index).c_str(), 1);
    setenv(stacks_variable,
           ("/proc/" + std::to_string(getppid()) + "/fd/" + std::to_string(workers_[index].stacks.get()))
               .c_str(),
           1);
    dup2(open(request.c_str(), O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    if (index > 0) dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), process::event_descriptor);
    fcntl(process::event_descriptor, F_SETFD, 0);
    std::vector<char*> arguments;
    for (std::string& argument : group_.command) arguments.push_back(argument.data());
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

  // The error that the rank has written, while others may wait for it in vain.
  std::optional<model::Reason> failure_of(std::size_t rank) const {
    const std::optional<Error> error = error_of(block_->slots[rank]);
    if (!error) return std::nullopt;
    return model::Reason{std::string(name_of(error->code())),
                         "rank " + std::to_string(rank) + ": " + error->what()};
  }

  // A rank that starts, or a stage that compiles, may wait for other processes for long, with the same stack.
  double hang_seconds() const {
    const double usual = group_.silent_seconds_max / 6;
    if (block_->failed.load()) return std::min(usual, grace_seconds);
    const bool compiles =
        group_.task.mode.find('.') != std::string::npos || group_.task.more_axes.contains("torch-compile");
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const std::string_view phase = block_->slots[i].phase;
      if (phase.empty() || (compiles && phase == "open")) return group_.silent_seconds_max;
      if (phase == "open") return 2 * usual;  // communicators are made at the first collective
    }
    return usual;
  }

  // A group hangs if no rank has made a move, and all have the same stack as at half of that time.
  std::optional<model::Reason> reason_of_hang() {
    std::int64_t moves = 0;
    for (const Slot& slot : block_->slots) moves += slot.moves.load();
    if (moves != std::exchange(moves_, moves)) {
      quiet_ = Stopwatch();
      calls_.clear();
    }
    const double limit = hang_seconds();
    if (quiet_.seconds() < limit * (calls_.empty() ? 0.5 : 1)) return std::nullopt;
    std::vector<std::string> calls;
    for (Worker& worker : workers_) calls.push_back(call_of(stacks_of(worker)));
    if (calls != calls_) {
      if (!calls_.empty()) quiet_ = Stopwatch();
      calls_ = std::move(calls);
      return std::nullopt;
    }
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (const std::optional<model::Reason> failure = failure_of(i)) return failure;
    }
    std::string text = "the ranks hang (no move in " + process::seconds_text(limit) + ")";
    for (std::size_t i = 0; i < workers_.size(); ++i)
      text += (i == 0 ? ": rank " : "; rank ") + std::to_string(i) + " " + position_of(i);
    return model::Reason{"worker_timeout", text};
  }

  // Python writes to the file once when it can take the signal, which would end other programs.
  static std::string stacks_of(Worker& worker) {
    const int file = worker.stacks.get();
    worker.has_python = worker.has_python || lseek(file, 0, SEEK_END) > 0;
    if (!worker.running || !worker.has_python || ftruncate(file, 0) != 0) return {};
    ::kill(worker.pid, SIGUSR1);
    pause(200);
    std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
    const ssize_t got = pread(file, text.data(), text.size(), 0);
    return text.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
  }

  std::string position_of(std::size_t rank) const {
    const Slot& slot = block_->slots[rank];
    const std::string text = "at step " + std::to_string(slot.steps.load()) + " in mode " + group_.task.mode +
                             ", phase " + slot.phase + " of batch " + std::to_string(slot.batch.load()) +
                             ", ";
    if (!workers_[rank].running) return text + "has ended";
    if (slot.waiting.load()) return text + "waits for the other ranks";
    return text + (calls_[rank].empty() ? "waits for its device" : "in " + calls_[rank]);
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

  int end(const model::Reason& reason) {
    end_workers();
    process::send_line(worker::encode_event({.error = reason}));
    return 1;
  }

  // Ends as the first rank that ended badly, so that the parent says how, with its output.
  int end_alike() const {
    const int status = workers_[broken_].status;
    std::fprintf(stderr, "rank %zu ended first\n", broken_);
    if (WIFSIGNALED(status)) ::kill(getpid(), WTERMSIG(status));
    return WEXITSTATUS(status);
  }

  GroupTask group_;
  std::vector<Worker> workers_;
  const Descriptor memory_ = memory_file("graphbench-ranks");
  Block* block_ = nullptr;
  std::optional<Stopwatch> broken_at_;  // since the first rank ended badly
  std::size_t broken_ = 0;              // that rank
  std::int64_t moves_ = 0;
  Stopwatch quiet_;                 // since the last move
  std::vector<std::string> calls_;  // of each rank, at half of the time
};

}  // namespace

std::string call_of(const std::string& stacks) {
  static const std::regex frame(R"re(  File "(?:.*/)?(.*)", line (\d+) in (.*))re");
  constexpr std::size_t calls_max = 6;
  std::vector<std::string> calls;
  std::smatch found;
  for (const std::string& line : split(stacks, '\n')) {
    if (!std::regex_match(line, found, frame)) {
      calls.clear();  // another thread
    } else if (found[1] != "graphbench.py") {
      calls.push_back(found.format("$3 at $1:$2"));
    } else if (!calls.empty()) {  // below the step's calls, in its thread alone, are those that call it
      calls.resize(std::min(calls.size(), calls_max));
      return join(calls, " < ");
    }
  }
  return {};
}

std::string encode_group(const GroupTask& group) {
  return codec::write_data(group);
}

int group_main(std::string_view parent) {
  return process::child_main("ranks", parent, [&](const std::string& request) {
    return Group(codec::read_data<GroupTask>(request, "read the task of ranks"), parent).run();
  });
}

}  // namespace graphbench::ranks
