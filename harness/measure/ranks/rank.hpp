// One rank of a group: a worker process that measures its part of a step over several devices. The ranks of
// a group synchronize through shared memory, and never while a clock runs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/base/error.hpp"

namespace graphbench::ranks {

inline constexpr std::int64_t ranks_max = 64;
inline constexpr const char* block_variable = "GRAPHBENCH_RANKS";         // the file of the Block
inline constexpr const char* stacks_variable = "GRAPHBENCH_RANK_STACKS";  // the file for Python's stacks
using Numbers = std::array<std::int64_t, 3>;

struct Barrier {
  std::atomic<std::int64_t> arrived;
  std::atomic<std::int64_t> round;
};

// Written by one rank; the other ranks and the group process read it.
struct Slot {
  std::atomic<std::int64_t> moves;  // grows with every phase and barrier of the rank
  std::atomic<std::int64_t> steps;  // steps begun in timing loops
  std::atomic<std::int64_t> batch;
  std::atomic<bool> waiting;
  char phase[32];
  char failure[1024];  // the code, a space and the message of an error; empty: none
  Numbers numbers;
};
std::optional<Error> error_of(const Slot& slot);

// Shared memory. All bytes are zero at the start.
struct Block {
  Barrier meeting;
  Barrier settling;
  Slot slots[ranks_max];
};

// skew_seconds[s]: from the first to the last rank's end of step s. submit_seconds[r][s]: of rank r, step s.
struct GroupTimes {
  std::vector<double> skew_seconds = {};
  std::vector<std::vector<double>> submit_seconds = {};
};

class Rank {
 public:
  // Joins the group that the environment variables name. Returns null if this process is not a rank.
  static std::unique_ptr<Rank> join();

  std::int64_t index() const noexcept { return index_; }
  // If rank 0 has device `first`. All ranks share the host device.
  std::string device_after(const std::string& first) const;
  // All CPUs if there are fewer CPUs than ranks.
  std::vector<int> share_of(const std::vector<int>& cpus) const;

  // Every rank must call the following functions, in the same order as the other ranks.
  void begin_step();
  std::int64_t decide(std::int64_t mine) { return gather({mine})[0][0]; }
  double largest(double mine);
  // Replaces this rank's times by the group's: from the first start to the last end, and the longest submit.
  void combine(std::int64_t& started_ns, std::int64_t& submit_ns, std::int64_t& latency_ns);
  // Ends a stage. Every rank gets the error of the lowest rank that has one, so that all ranks take the same
  // path. If other ranks wait elsewhere for a failed rank, the group process ends all ranks.
  std::optional<Error> settle(std::optional<Error> mine);

  // These two tell the group process which phase begins, or which error ends this rank.
  void note(std::int64_t batch, std::string_view phase);
  void note(const Error& error);

  GroupTimes* times = nullptr;  // combine() appends each step's times here; null: nowhere

 private:
  Rank(Block* block, std::int64_t index, std::int64_t count) : block_(block), index_(index), count_(count) {}
  Slot& own() { return block_->slots[index_]; }
  // Exchanges `mine` with the other ranks. result[i][r] is number i of rank r.
  std::array<std::vector<std::int64_t>, 3> gather(const Numbers& mine);
  void wait(Barrier& barrier);
  void meet() { wait(block_->meeting); }

  Block* const block_;  // mapped until the process ends
  const std::int64_t index_;
  const std::int64_t count_;
};

// The group process. It reads a task from stdin, starts a worker for each rank, watches the workers, and
// reports why they ended. The arguments after `parent` are the seconds without progress that count as a
// hang, and a worker's command. The argument `parent` in that command is replaced by this process's id.
int group_main(std::string_view parent);
// Returns the step's innermost calls, as in "all_reduce at step.py:31 < step at step.py:40". Empty if no
// thread is in the step. `stacks`: the text that Python's faulthandler writes of all threads.
std::string call_of(const std::string& stacks);

}  // namespace graphbench::ranks
