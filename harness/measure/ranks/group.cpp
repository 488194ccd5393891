// Watches the ranks of a group by the lines that they send, their shared memory and, if they hang, the stacks
// that Python writes.
#include "harness/measure/ranks/group.hpp"

#include <arpa/inet.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <optional>
#include <regex>
#include <thread>

#include "graphs/base/clock.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/ranks/rank.hpp"
#include "harness/measure/worker/worker_fields.hpp"
#include "harness/model/axes.hpp"

namespace graphbench::measure {
namespace {

using Exits = std::vector<process::ChildExit>;

constexpr double grace_seconds = 3;  // from the first failure until the other ranks must have ended
constexpr double unlimited_seconds = 1e9;

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

// Returns the exit of the rank that was the first to end badly; null if none has.
const process::ChildExit* first_broken(const Exits& exits) {
  const auto first = std::ranges::min_element(exits, {}, [](const process::ChildExit& exit) {
    return exit.well() ? std::numeric_limits<std::int64_t>::max() : exit.ended_ns;
  });
  return first->well() ? nullptr : &*first;
}

struct Worker {
  std::optional<model::Reason> error = {};  // which ended the worker
  MemoryFile stacks = {};
  std::string step = {};  // the step's function; empty: unknown
};

class Group {
 public:
  // Arguments outlive the group.
  Group(const model::WorkerTask& task, const process::ChildCommand& worker,
        const process::LineHandler& on_line)
      : task_(task), worker_(worker), on_line_(on_line) {}

  process::ChildExit run(process::ProcessSupervisor& supervisor, const process::TickHandler& on_tick) {
    const Exits exits = supervisor.run_all(
        commands(), [&](std::size_t rank, std::string_view line) { take(rank, line); },
        [&](const Exits& so_far) {
          on_tick();
          return goes_on(so_far);
        });
    const process::ChildExit* const broken = first_broken(exits);
    const std::size_t rank = broken == nullptr ? 0 : static_cast<std::size_t>(broken - exits.data());
    if (!reason_ && rank > 0) reason_ = failure_of(rank);
    if (reason_) {
      on_line_(model::write_data(WorkerEvent{.error = reason_}));
      return {.status = 1};
    }
    process::ChildExit exit = exits[rank];
    if (broken != nullptr) exit.output += "\nrank " + std::to_string(rank) + " was the first to fail\n";
    return exit;
  }

 private:
  std::vector<process::ChildCommand> commands() const {
    const std::string count = std::to_string(workers_.size());
    const std::string port = free_port();
    std::vector<process::ChildCommand> commands(workers_.size(), worker_);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const std::string rank = std::to_string(i);
      model::WorkerTask own = task_;
      own.device = device_after(task_.device, i);
      own.settings.instruments.submitter.reset();  // chosen among all CPUs; each rank chooses among its own
      commands[i].input = model::write_data(own);
      // Long limits, so that reason_of_hang() detects a hang before the supervisor does. Ranks other than 0
      // have none, because they may be silent while rank 0 compiles.
      commands[i].silent_seconds_max = i == 0 ? 2 * worker_.silent_seconds_max : unlimited_seconds;
      commands[i].environment = {"MASTER_ADDR=127.0.0.1",
                                 "MASTER_PORT=" + port,
                                 "WORLD_SIZE=" + count,
                                 "LOCAL_WORLD_SIZE=" + count,
                                 "RANK=" + rank,
                                 "LOCAL_RANK=" + rank,
                                 block_variable + ("=" + memory_.path),
                                 stacks_variable + ("=" + workers_[i].stacks.path)};
    }
    return commands;
  }

  void take(std::size_t rank, std::string_view line) {
    const WorkerEvent event = model::read_data<WorkerEvent>(line, "read worker event");
    if (event.error) workers_[rank].error = event.error;
    if (rank > 0) return;
    if (!event.phase.empty() && (event.phase != phase_ || event.batch != batch_)) {
      phase_ = event.phase;
      batch_ = event.batch;
      quiet_ = Stopwatch();
    }
    on_line_(line);
  }

  bool goes_on(const Exits& exits) {
    if (const process::ChildExit* const broken = first_broken(exits))
      return static_cast<double>(steady_ns() - broken->ended_ns) <= grace_seconds * 1e9;
    if (!reason_) reason_ = reason_of_hang(exits);
    return !reason_;
  }

  // Returns the error that ended the rank or its stage, if any. Other ranks may still wait for this rank.
  std::optional<model::Reason> failure_of(std::size_t rank) const {
    std::optional<model::Reason> reason = workers_[rank].error;
    if (const std::optional<Error> error = error_of(block_->slots[rank])) reason = model::reason_of(*error);
    if (reason) reason->message.insert(0, "rank " + std::to_string(rank) + ": ");
    return reason;
  }

  std::optional<model::Reason> first_failure() const {
    std::optional<model::Reason> failure;
    for (std::size_t i = 0; i < workers_.size() && !failure; ++i) failure = failure_of(i);
    return failure;
  }

  // The time without progress that counts as a hang. It is short after a failure, and longer while ranks
  // start or compile: they may then wait long for other processes, with unchanged stacks.
  double hang_seconds() const {
    const double usual = worker_.silent_seconds_max / 4;
    if (first_failure()) return std::min(usual, grace_seconds);
    const bool compiles =
        task_.mode.find('.') != std::string::npos || task_.more_axes.contains("torch-compile");
    if (phase_.empty() || (compiles && phase_ == "open")) return 4 * usual;
    return phase_ == "open" ? 2 * usual : usual;  // in "open" the first collective makes communicators
  }

  // A group hangs if no rank makes progress for hang_seconds(), with equal stacks at half and at full time.
  std::optional<model::Reason> reason_of_hang(const Exits& exits) {
    const std::int64_t moves = block_->meeting.moves() + block_->settling.moves();
    if (moves != std::exchange(moves_, moves)) quiet_ = Stopwatch();
    const double limit = hang_seconds();
    if (quiet_.seconds() < limit / 2) calls_.clear();
    if (quiet_.seconds() < (calls_.empty() ? limit / 2 : limit)) return std::nullopt;
    const std::vector<std::string> before = std::exchange(calls_, {});
    for (std::size_t i = 0; i < workers_.size(); ++i) calls_.push_back(call_of(stacks_of(i, exits[i])));
    if (before != calls_) {
      if (!before.empty()) quiet_ = Stopwatch();
      return std::nullopt;
    }
    if (std::optional<model::Reason> failure = first_failure()) return failure;
    std::string text =
        "the ranks hang (no progress in " + std::to_string(std::lround(quiet_.seconds())) + " s)";
    for (std::size_t i = 0; i < workers_.size(); ++i)
      text += (i == 0 ? ": rank " : "; rank ") + std::to_string(i) + " " + position_of(i, exits[i]);
    return model::Reason{"worker_timeout", text};
  }

  // Python writes "ready" to the file once it handles SIGUSR1. Before that, the signal would end the worker,
  // so it is not sent. Python then writes the step's function, and at each SIGUSR1 the stacks of all threads.
  std::string stacks_of(std::size_t rank, const process::ChildExit& exit) {
    Worker& worker = workers_[rank];
    const std::string before = worker.stacks.text();
    if (before.starts_with("ready")) worker.step = call_of(before);
    if (exit.ended_ns != 0 || before.empty() || ftruncate(worker.stacks.file.get(), 0) != 0) return {};
    ::kill(exit.pid, SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return worker.stacks.text();
  }

  std::string position_of(std::size_t rank, const process::ChildExit& exit) const {
    const Slot& slot = block_->slots[rank];
    const Worker& worker = workers_[rank];
    const std::string text = "at step " + std::to_string(slot.steps) + " in mode " + task_.mode + ", phase " +
                             phase_ + " of batch " + std::to_string(batch_) + ", ";
    if (exit.ended_ns != 0) return text + "has ended";
    if (!calls_[rank].empty()) return text + "in " + calls_[rank];
    return text + (slot.waiting ? "waits for the other ranks" : "waits for its device") +
           (worker.step.empty() ? "" : " after " + worker.step);
  }

  const model::WorkerTask& task_;
  const process::ChildCommand& worker_;
  const process::LineHandler& on_line_;
  std::vector<Worker> workers_ = std::vector<Worker>(static_cast<std::size_t>(model::ranks_of(task_)));
  const MemoryFile memory_;
  const std::shared_ptr<Block> block_ = map_block(memory_.path);
  std::optional<model::Reason> reason_;  // why the group ends
  std::string phase_;                    // the phase of all ranks, because they end each stage together
  std::int64_t batch_ = 0;
  std::int64_t moves_ = 0;
  Stopwatch quiet_;                 // runs since the last progress
  std::vector<std::string> calls_;  // each rank's innermost calls at half of hang_seconds(); empty: not read
};

}  // namespace

process::ChildExit run_group(process::ProcessSupervisor& supervisor, const process::ChildCommand& worker,
                             const model::WorkerTask& task, const process::LineHandler& on_line,
                             const process::TickHandler& on_tick) {
  return Group(task, worker, on_line).run(supervisor, on_tick);
}

std::string device_after(const std::string& first, std::size_t rank) {
  const std::size_t colon = first.find(':');
  if (first.starts_with("host")) return first;
  return first.substr(0, colon + 1) + std::to_string(std::stoull(first.substr(colon + 1)) + rank);
}

std::string call_of(const std::string& stacks) {
  static const std::regex frame(R"re(  File "(?:.*/)?(.*)", line (\d+) in (.*))re");
  constexpr std::size_t calls_max = 6;
  std::vector<std::string> calls;
  std::smatch found;
  for (const std::string& line : split(stacks, '\n')) {
    if (!std::regex_match(line, found, frame)) {
      calls.clear();  // the stack of another thread begins
    } else if (found[1] != "graphbench.py" && found[1] != "graphbench_step.py") {
      calls.push_back(found.format("$3 at $1:$2"));
    } else if (!calls.empty()) {  // these files call the step, so the frames above are the step's own
      calls.resize(std::min(calls.size(), calls_max));
      return join(calls, " < ");
    }
  }
  return {};
}

}  // namespace graphbench::measure
