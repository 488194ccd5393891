// Chooses the captured size that serves a step, and counts the steps of a trace: exact, padded and eager
// steps, padding rows, uses of each size. Does no I/O. The server and the check of the options use it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/ladder/ladder.hpp"

namespace graphbench::ladder {

enum class How : std::uint8_t { exact, padded, eager_below, eager_beyond };

// A step runs as `full_parts` parts of the largest captured size, and a last part with `rest` rows.
struct Route {
  How how = How::exact;         // how the last part runs
  std::int64_t full_parts = 0;  // 0 unless the policy splits large steps
  std::int64_t rest = 0;
  std::int64_t captured = 0;  // the captured size of the last part; 0: it runs eagerly, unpadded
  friend bool operator==(const Route&, const Route&) = default;
};

// `sizes` is ascending. Absent if the policy refuses the step.
std::optional<Route> route(const std::vector<std::int64_t>& sizes, std::int64_t rows,
                           const LadderPolicy& policy);

struct Tally {
  LadderSteps steps;
  std::int64_t split_steps = 0;
  std::int64_t padding_rows = 0;
  std::int64_t graph_rows = 0;
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> used;  // size -> rows -> replays
  std::map<std::int64_t, std::int64_t> eager;                         // rows -> steps
  std::int64_t warmups = 0;                          // how many first requests of each size are warmups
  std::map<std::int64_t, std::int64_t> warmed = {};  // size -> warmups so far
  std::int64_t graphs_max = 0;                       // LadderPolicy::graphs_max
  std::vector<std::int64_t> captured = {};           // the sizes that have graphs, the last used one last
  std::vector<std::int64_t> evicted = {};            // the sizes whose graphs go when the last step has ended

  // The sizes that the policy captures before the first step.
  void start(const std::vector<std::int64_t>& sizes, const LadderPolicy& policy);
  // Counts a step with this route. A step that replays a size without a graph is captured_now.
  void add(const Route& route, const std::vector<std::int64_t>& sizes);
  std::int64_t total() const {
    return steps.exact + steps.padded + steps.eager_below + steps.eager_beyond + steps.captured_now +
           steps.warming;
  }
  double hit_rate() const;
  LadderPadding padding() const;

 private:
  bool use(std::int64_t size);  // whether it has a graph, which it has from now on
};

// Counts the steps in order. `steps`: the rows of each. Throws InputError(`where`) for a refused step.
Tally tally(const std::vector<std::int64_t>& steps, const std::vector<std::int64_t>& sizes,
            const LadderPolicy& policy, const std::string& where);

}  // namespace graphbench::ladder
