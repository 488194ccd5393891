// Chooses the captured size that serves a step, and counts a trace of steps: exact and padded steps, padding,
// uses of each size. Pure; the runner takes its routes from here and counts by itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/ladder/ladder.hpp"

namespace graphbench::ladder {

enum class How : std::uint8_t { exact, padded, eager_below, eager_beyond };

// A step's parts: `full_parts` of the largest captured size, then `rest` rows.
struct Route {
  How how = How::exact;         // of the rest
  std::int64_t full_parts = 0;  // only where steps beyond the ladder are split
  std::int64_t rest = 0;        // rows of the last part
  std::int64_t captured = 0;    // the size that it runs in; 0: it runs eagerly, with as many rows as it has
  friend bool operator==(const Route&, const Route&) = default;
};

// `sizes` ascending. Absent if the policy refuses the step.
std::optional<Route> route(const std::vector<std::int64_t>& sizes, std::int64_t rows,
                           const model::LadderPolicy& policy);

struct Tally {
  model::LadderSteps steps;
  std::int64_t split_steps = 0;
  std::int64_t padding_rows = 0;
  std::int64_t graph_rows = 0;
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> used;  // size -> rows -> replays
  std::map<std::int64_t, std::int64_t> eager;                         // rows -> steps
  std::int64_t warmups = 0;                          // how many first requests of each size are warmups
  std::map<std::int64_t, std::int64_t> warmed = {};  // size -> of these

  // Counts a step with this route. With captures inside requests, the first part in a size makes the step
  // wait.
  void add(const Route& route, const std::vector<std::int64_t>& sizes, model::CaptureWhen when);
  std::int64_t total() const {
    return steps.exact + steps.padded + steps.eager_below + steps.eager_beyond + steps.captured_now +
           steps.warming;
  }
  double hit_rate() const;
  model::LadderPadding padding() const;
};

// Counts the steps in their order. Throws InputError(`where`) for a step that the policy refuses.
Tally tally(const std::vector<std::int64_t>& steps, const std::vector<std::int64_t>& sizes,
            const model::LadderPolicy& policy, const std::string& where);

}  // namespace graphbench::ladder
