// Shuffles with the standard generator and our own loop, so that a seed means the same everywhere.
#include "harness/verdict/ab/schedule.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace graphbench::ab {

std::vector<Run> make_schedule(const ScheduleOptions& options) {
  std::mt19937_64 random(options.seed);
  std::vector<std::size_t> order(options.groups);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<bool> base_first(options.groups);
  for (std::size_t group = 0; group < options.groups; ++group) base_first[group] = random() % 2 == 0;

  std::vector<Run> runs;
  for (std::int64_t launch = 0; launch < options.launches; ++launch) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::size_t group : order) {
      const bool base_now = base_first[group] == (launch % 2 == 0);
      runs.push_back({group, launch, base_now ? Role::base : Role::now});
      runs.push_back({group, launch, base_now ? Role::now : Role::base});
    }
  }
  return runs;
}

}  // namespace graphbench::ab
