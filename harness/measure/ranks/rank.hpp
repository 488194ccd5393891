// One rank of a group: a worker process that measures its part of a step over several devices. The ranks of a
// group meet in memory that they share, and never while a clock runs.
#pragma once

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
inline constexpr std::size_t numbers_max = 4096;
inline constexpr const char* block_variable = "GRAPHBENCH_RANKS";         // the file of the Block
inline constexpr const char* stacks_variable = "GRAPHBENCH_RANK_STACKS";  // the file for Python's stacks

struct Barrier {
  std::atomic<std::int64_t> arrived;
  std::atomic<std::int64_t> round;
};

// What a rank writes, for the other ranks and for the process that watches them.
struct Slot {
  std::atomic<std::int64_t> moves;  // grows with every phase and meeting; a rank that hangs makes none
  std::atomic<std::int64_t> steps;  // begun in timing loops
  std::atomic<std::int64_t> batch;
  std::atomic<bool> waiting;  // for the other ranks
  char phase[32];
  char failure[1024];  // the code, a space and the message of an error; empty: none
  std::int64_t numbers[numbers_max];
};

// The shared memory, which begins as zeros.
struct Block {
  Barrier meeting;
  Barrier settling;
  std::atomic<bool> failed;  // a rank has failed, so the others shall not wait for it in a meeting
  std::atomic<std::int64_t> decisions[2];
  Slot slots[ranks_max];
};

std::optional<Error> error_of(const Slot& slot);

class Rank {
 public:
  // Joins the group that the environment names. Null: this process is no rank of a group.
  static std::unique_ptr<Rank> join();
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  std::int64_t index() const noexcept { return index_; }
  std::int64_t count() const noexcept { return count_; }
  // The device of this rank, if `first` is that of rank 0: "cuda:3". The host is every rank's device.
  std::string device_after(const std::string& first) const;
  // This rank's part of the CPUs; all if there are fewer CPUs than ranks.
  std::vector<int> share_of(const std::vector<int>& cpus) const;

  // All ranks make the same calls in the same order. The calls throw Error(step_failed) once another rank has
  // failed, and settle() then returns that rank's error.
  void meet();
  // The first meeting waits for the slowest rank; the second is short, so that all ranks begin at once.
  void begin_step();
  std::int64_t decide(std::int64_t mine);  // returns rank 0's value
  // Returns the numbers of all ranks, which give equally many.
  std::vector<std::vector<std::int64_t>> gather(const std::vector<std::int64_t>& mine);
  // Ends a stage: every rank gets the error of the lowest rank that has one, so that all go on alike.
  std::optional<Error> settle(std::optional<Error> mine);

  // Tell the watching process what begins, and what ends this rank.
  void note(std::int64_t batch, std::string_view phase);
  void note(const Error& error);

 private:
  Rank(Block* block, std::int64_t index, std::int64_t count) : block_(block), index_(index), count_(count) {}
  Slot& own() { return block_->slots[index_]; }
  bool wait(Barrier& barrier, bool until_failure);

  Block* const block_;
  const std::int64_t index_;
  const std::int64_t count_;
  std::int64_t decided_ = 0;
  bool left_ = false;  // a meeting, because another rank had failed
};

}  // namespace graphbench::ranks
