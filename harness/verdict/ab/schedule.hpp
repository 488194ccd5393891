// In which order the launches of an A/B run happen. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphbench::ab {

enum class Role : std::uint8_t { base, now };

// One launch of one group of cells (what a worker process covers) on one side.
struct Run {
  std::size_t group = 0;
  std::int64_t launch = 0;
  Role role = Role::base;
  friend bool operator==(const Run&, const Run&) = default;
};

struct ScheduleOptions {
  std::size_t groups = 1;
  std::int64_t launches = 1;  // a side
  std::uint64_t seed = 1;
};

// Launch after launch, and in each every group once, in an order of its own. A group's two sides run one
// right after the other, and who goes first alternates from launch to launch (ABBA, or BAAB, as a coin
// says for each group): whatever drifts slowly meets both sides alike.
std::vector<Run> make_schedule(const ScheduleOptions& options);

}  // namespace graphbench::ab
