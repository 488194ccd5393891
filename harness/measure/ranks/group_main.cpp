// Starts the workers of a group, hands on what rank 0 says, and ends the group when a rank fails or hangs.
#include "harness/measure/ranks/group_main.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

#include "graphs/base/clock.hpp"
#include "graphs/base/process/child_io.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/ranks/rank.hpp"
#include "harness/measure/ranks/stacks.hpp"
#include "harness/measure/worker/protocol.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::codec {
GB_DESCRIBE(ranks::GroupTask, command, silent_seconds_max, count, task);
}  // namespace graphbench::codec

namespace graphbench::ranks {
namespace {

constexpr double grace_seconds = 2;  // for other ranks to end, or to fail alike, once one has
constexpr double lone_failure_seconds = 5;

// A port of the loopback that was free just now.
int free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw Error(ErrorCode::io, "find a free port for ranks");
  return ntohs(address.sin_port);
}

struct Worker {
  process::SpawnedChild child;
  Stacks stacks = {};
  std::string pending = {};  // the beginning of a line
  std::string output = {};   // the end of what it printed
  bool running = true;
  process::ChildExit exit = {};
  std::optional<model::Reason> error = {};
};

class Group {
 public:
  Group(GroupTask group, std::string_view parent)
      : group_(std::move(group)), memory_(memfd_create("graphbench-ranks", MFD_CLOEXEC)) {
    if (memory_.get() < 0 || ftruncate(memory_.get(), sizeof(Block)) != 0)
      throw Error(ErrorCode::io, "make memory for ranks");
    void* const block = mmap(nullptr, sizeof(Block), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    if (block == MAP_FAILED) throw Error(ErrorCode::io, "map memory for ranks");
    block_ = static_cast<Block*>(block);
    const auto id = std::ranges::find(group_.command, parent);
    if (id != group_.command.end()) *id = std::to_string(getpid());
  }

  int run() {
    start();
    while (std::ranges::any_of(workers_, &Worker::running)) {
      take_available(100);
      reap();
      if (const std::optional<model::Reason> reason = why_to_end()) return end(*reason);
    }
    return workers_.front().exit.status;
  }

 private:
  void start() {
    const std::string input = worker::encode_task(group_.task);
    const std::string own = "/proc/" + std::to_string(getpid()) + "/fd/";
    const std::string count = std::to_string(group_.count);
    const std::string port = std::to_string(free_port());
    for (std::int64_t i = 0; i < group_.count; ++i) {
      const std::string rank = std::to_string(i);
      Worker& worker = workers_.emplace_back();
      worker.child =
          process::spawn(group_.command, input,
                         {"RANK=" + rank, "LOCAL_RANK=" + rank, "WORLD_SIZE=" + count,
                          "LOCAL_WORLD_SIZE=" + count, "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port,
                          std::string(block_variable) + "=" + own + std::to_string(memory_.get()),
                          std::string(stacks_variable) + "=" + worker.stacks.path()});
    }
  }

  // Returns false if nothing came in time.
  bool take_available(int milliseconds) {
    std::vector<pollfd> files;
    for (const Worker& worker : workers_) {
      files.push_back({worker.child.events.get(), POLLIN, 0});
      files.push_back({worker.child.output.get(), POLLIN, 0});
    }
    if (poll(files.data(), files.size(), milliseconds) <= 0) return false;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents == 0) continue;
      Worker& worker = workers_[i / 2];
      char chunk[65536];
      const ssize_t got = read(files[i].fd, chunk, sizeof chunk);
      const std::string_view text(chunk, got > 0 ? static_cast<std::size_t>(got) : 0);
      if (i % 2 == 0) {
        if (got <= 0) worker.child.events = Descriptor();  // poll() ignores a closed one
        take_events(worker, text);
      } else {
        if (got <= 0) worker.child.output = Descriptor();
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
        worker.output += text;
        worker.output.erase(0, worker.output.size() - std::min<std::size_t>(worker.output.size(), 4096));
      }
    }
    return true;
  }

  // Hands on whole lines of rank 0. Other ranks send only their errors.
  void take_events(Worker& worker, std::string_view text) {
    worker.pending += text;
    std::size_t end = 0;
    while ((end = worker.pending.find('\n')) != std::string::npos) {
      const std::string line = worker.pending.substr(0, end);
      worker.pending.erase(0, end + 1);
      const bool first = &worker == &workers_.front();
      if (first) process::send_line(line);
      if (!first || line.find("\"error\"") != std::string::npos)
        worker.error = worker::decode_event(line).error;
    }
  }

  void reap() {
    for (Worker& worker : workers_) {
      int status = 0;
      if (!worker.running || waitpid(worker.child.pid, &status, WNOHANG) != worker.child.pid) continue;
      worker.running = false;
      ::kill(-worker.child.pid, SIGKILL);  // what it started may hold its pipes open
      while (take_available(0)) {
      }
      worker.exit.how =
          WIFSIGNALED(status) ? process::ChildExit::How::signalled : process::ChildExit::How::exited;
      worker.exit.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      worker.exit.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
      worker.exit.output = worker.output;
      if (worker.exit.status == 0 || broken_at_) continue;
      broken_at_.emplace();
      broken_ = static_cast<std::size_t>(&worker - workers_.data());
    }
  }

  std::optional<model::Reason> why_to_end() {
    if (broken_at_) {
      const bool over = std::ranges::none_of(workers_, &Worker::running);
      if (!over && broken_at_->seconds() < grace_seconds) return std::nullopt;
      return reason_of_broken();
    }
    return reason_of_hang();
  }

  model::Reason reason_of_broken() const {
    const Worker& worker = workers_[broken_];
    const std::string rank = "rank " + std::to_string(broken_) + " ";
    if (worker.error) return {worker.error->code, rank + "failed: " + worker.error->message};
    return {"worker_crashed", rank + process::how_it_ended(worker.exit, 0, "in phase " + place_of(broken_))};
  }

  // A rank that starts, or a stage that compiles, may wait for other processes for long, with the same stack.
  double hang_seconds() const {
    const double usual = group_.silent_seconds_max / 6;
    if (block_->failed.load()) return std::min(usual, lone_failure_seconds);
    const bool compiles =
        group_.task.mode.find('.') != std::string::npos || group_.task.more_axes.contains("torch-compile");
    for (std::int64_t i = 0; i < group_.count; ++i) {
      const std::string_view phase = block_->slots[i].phase;
      if (phase.empty() || (compiles && phase == "open")) return group_.silent_seconds_max;
      if (phase == "open") return 2 * usual;  // communicators are made at the first collective
    }
    return usual;
  }

  // A group hangs if no rank has made a move, and all have the same stack as at half of that time.
  std::optional<model::Reason> reason_of_hang() {
    std::int64_t moves = 0;
    for (std::int64_t i = 0; i < group_.count; ++i) moves += block_->slots[i].moves.load();
    if (moves != moves_) {
      moves_ = moves;
      quiet_ = Stopwatch();
      calls_.clear();
    }
    const double limit = hang_seconds();
    if (quiet_.seconds() < limit * (calls_.empty() ? 0.5 : 1)) return std::nullopt;
    const bool looked = !calls_.empty();
    std::vector<std::string> calls = read_calls();
    if (!looked || calls != calls_) {
      if (looked) quiet_ = Stopwatch();
      calls_ = std::move(calls);
      return std::nullopt;
    }
    for (std::int64_t i = 0; i < group_.count; ++i) {
      const std::string failure = block_->slots[i].failure;
      if (failure.empty()) continue;
      const auto code = static_cast<ErrorCode>(std::atoi(failure.c_str()));
      return model::Reason{std::string(name_of(code)),
                           "rank " + std::to_string(i) + ": " + failure.substr(failure.find(' ') + 1)};
    }
    std::string text = "the ranks hang (no move in " + process::seconds_text(limit) + ")";
    for (std::size_t i = 0; i < workers_.size(); ++i)
      text += (i == 0 ? ": rank " : "; rank ") + std::to_string(i) + " " + position_of(i);
    return model::Reason{"worker_timeout", text};
  }

  std::vector<std::string> read_calls() {
    std::vector<std::string> calls;
    for (Worker& worker : workers_)
      calls.push_back(worker.running ? call_of(worker.stacks.read(worker.child.pid)) : "");
    return calls;
  }

  std::string place_of(std::size_t rank) const {
    const Slot& slot = block_->slots[rank];
    const std::string phase = slot.phase[0] == '\0' ? "start" : slot.phase;
    return phase + " of batch " + std::to_string(slot.batch.load());
  }

  std::string position_of(std::size_t rank) const {
    const Slot& slot = block_->slots[rank];
    std::string text = "at step " + std::to_string(slot.steps.load()) + " in mode " + group_.task.mode +
                       ", phase " + place_of(rank) + ", ";
    if (!workers_[rank].running) return text + "has ended";
    if (slot.waiting.load()) return text + "waits for the other ranks";
    return text + (calls_[rank].empty() ? "waits for its device" : "in " + calls_[rank]);
  }

  int end(const model::Reason& reason) {
    const bool said = broken_at_ && broken_ == 0 && workers_.front().error;
    for (const Worker& worker : workers_) {
      if (!worker.running) continue;
      ::kill(-worker.child.pid, SIGKILL);
      ::kill(worker.child.pid, SIGKILL);
    }
    for (const Stopwatch watch; watch.seconds() < 30 && std::ranges::any_of(workers_, &Worker::running);) {
      take_available(100);
      reap();
    }
    if (!said) process::send_line(worker::encode_event({.error = reason}));
    return 1;
  }

  GroupTask group_;
  Descriptor memory_;
  Block* block_ = nullptr;
  std::vector<Worker> workers_;
  std::optional<Stopwatch> broken_at_;  // since the first rank ended badly
  std::size_t broken_ = 0;              // that rank
  std::int64_t moves_ = 0;
  Stopwatch quiet_;                 // since the last move
  std::vector<std::string> calls_;  // of each rank, at half of the time
};

}  // namespace

std::string encode_group(const GroupTask& group) {
  return codec::write_data(group);
}

int group_main(std::string_view parent) {
  return process::child_main("ranks", parent, [&](const std::string& request) {
    return Group(codec::read_data<GroupTask>(request, "read the task of ranks"), parent).run();
  });
}

}  // namespace graphbench::ranks
