// One rank of a group: a worker process that measures its part of a step over several devices. The ranks of a
// group meet in memory that they share, and never while a clock runs.
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

// What a rank writes, for the other ranks and for the process that watches them.
struct Slot {
  std::atomic<std::int64_t> moves;  // grows with every phase and meeting
  std::atomic<std::int64_t> steps;  // begun in timing loops
  std::atomic<std::int64_t> batch;
  std::atomic<bool> waiting;  // for the other ranks
  char phase[32];
  char failure[1024];  // the code, a space and the message of an error; empty: none
  Numbers numbers;
};
std::optional<Error> error_of(const Slot& slot);

// The shared memory, which begins as zeros.
struct Block {
  Barrier meeting;
  Barrier settling;
  Slot slots[ranks_max];
};

// The skew of each step, from the first rank's end to the last one's, and each rank's submit.
struct GroupTimes {
  std::vector<double> skew_seconds = {};
  std::vector<std::vector<double>> submit_seconds = {};
};

class Rank {
 public:
  // Joins the group that the environment names. Null: this process is not a rank of a group.
  static std::unique_ptr<Rank> join();

  std::int64_t index() const noexcept { return index_; }
  // The device of this rank, if `first` is that of rank 0. The host is every rank's device.
  std::string device_after(const std::string& first) const;
  // This rank's part of the CPUs; all if there are fewer CPUs than ranks.
  std::vector<int> share_of(const std::vector<int>& cpus) const;

  // All ranks make the same calls in the same order.
  void begin_step();
  std::int64_t decide(std::int64_t mine) { return gather({mine})[0][0]; }  // returns rank 0's
  double largest(double mine);                                             // of numbers from 0 on
  // Makes a rank's times those of the group: from the first start to the last end, and the slowest submit.
  void combine(std::int64_t& started_ns, std::int64_t& submit_ns, std::int64_t& latency_ns);
  // Ends a stage: every rank gets the error of the lowest rank that has one, so that all go on alike. If the
  // others wait for a rank that has failed, the watching process ends all.
  std::optional<Error> settle(std::optional<Error> mine);

  // Tell the watching process what begins, and what ends this rank.
  void note(std::int64_t batch, std::string_view phase);
  void note(const Error& error);

  GroupTimes* times = nullptr;  // where combine() also writes; null: nowhere

 private:
  Rank(Block* block, std::int64_t index, std::int64_t count) : block_(block), index_(index), count_(count) {}
  Slot& own() { return block_->slots[index_]; }
  std::vector<Numbers> gather(const Numbers& mine);
  void wait(Barrier& barrier);
  void meet() { wait(block_->meeting); }

  Block* const block_;  // mapped until the process ends
  const std::int64_t index_;
  const std::int64_t count_;
};

// The process that starts a worker for each rank of the task on stdin, watches them, and says why they ended.
// Its arguments behind `parent` are the seconds without any move that count as a hang, and a worker's
// command, of which one argument is `parent`.
int group_main(std::string_view parent);
// Returns the innermost calls of the step in what Python's faulthandler writes of all threads: "all_reduce at
// step.py:31 < step at step.py:40". Empty: no thread is in the step.
std::string call_of(const std::string& stacks);

}  // namespace graphbench::ranks
