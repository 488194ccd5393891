// One rank of a group: a worker process that measures its part of a step over several devices. The ranks of
// a group synchronize through shared memory, and never while a clock runs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/error.hpp"

namespace graphbench::measure {

inline constexpr std::int64_t ranks_max = 64;
inline constexpr const char* block_variable = "GRAPHBENCH_RANKS";         // the file of the Block
inline constexpr const char* stacks_variable = "GRAPHBENCH_RANK_STACKS";  // the file for Python's stacks
using Numbers = std::array<std::int64_t, 3>;

struct Barrier {
  std::atomic<std::int64_t> arrived;
  std::atomic<std::int64_t> round;
  std::int64_t moves() const { return round * 2 * ranks_max + arrived; }  // changes whenever a rank arrives
};

// One rank writes a slot; the other ranks and the sweep read it.
struct Slot {
  std::atomic<std::int64_t> steps;  // steps begun in timing loops
  std::atomic<bool> waiting;
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
std::shared_ptr<Block> map_block(const std::string& file);

// skew_seconds[s]: the time from the first to the last rank's end of step s. submit_seconds[r][s]: the submit
// time of rank r in step s.
struct GroupTimes {
  std::vector<double> skew_seconds = {};
  std::vector<std::vector<double>> submit_seconds = {};
};

// Without a group, a process is alone: it waits for no other rank, and its numbers and errors are its own.
class Rank {
 public:
  Rank() = default;
  // Joins the group that the environment variables name. Without them the process is alone.
  static Rank join();

  bool alone() const noexcept { return count_ == 1; }
  // This rank's part of `cpus`, or all of them if there are fewer CPUs than ranks.
  std::vector<int> share_of(const std::vector<int>& cpus) const;

  // Every rank must call the following functions, in the same order as the other ranks.
  void begin_step() const;
  std::int64_t decide(std::int64_t mine) const { return alone() ? mine : gather({mine})[0][0]; }
  double largest(double mine) const;
  // Replaces this rank's times by the group's: from the first start to the last end, and the longest submit.
  // Appends the step's skew and each rank's submit time to `times`, unless it is null.
  void combine(std::int64_t& started_ns, std::int64_t& submit_ns, std::int64_t& latency_ns,
               GroupTimes* times) const;
  // Ends a stage. Every rank gets the error of the lowest rank that has one, so that all ranks take the same
  // path. If other ranks wait elsewhere for a failed rank, the sweep ends all ranks.
  std::optional<Error> settle(std::optional<Error> mine) const;

 private:
  Slot& own() const { return block_->slots[index_]; }
  // Exchanges `mine` with the other ranks. result[i][r] is number i of rank r.
  std::array<std::vector<std::int64_t>, 3> gather(const Numbers& mine) const;
  void wait(Barrier& barrier) const;
  void meet() const { wait(block_->meeting); }

  std::shared_ptr<Block> block_;  // null: alone
  std::int64_t index_ = 0;
  std::int64_t count_ = 1;
};

}  // namespace graphbench::measure
