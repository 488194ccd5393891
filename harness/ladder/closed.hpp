// Forms batches of requests. A request is admitted when the next step begins, and is in the batch for as many
// steps as it has tokens. So batches depend on how long steps take, and steps on their batches. No function
// does I/O.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/ladder/suggestions.hpp"
#include "harness/ladder/traffic.hpp"

namespace graphbench::ladder {

struct Admission {
  std::function<std::optional<double>(std::int64_t)>
      step_seconds;            // by batch; absent beyond the measured ones
  double prefill_seconds = 0;  // by how long the admission of one request delays the batch
  std::int64_t most = 1;       // requests in service at once
};

// The sizes of the batches of the first steps, from an empty server on. Ends early where the last request
// ends, or where a step was not measured.
std::vector<std::int64_t> batches_of(const std::vector<Request>& requests, const Admission& admission,
                                     std::int64_t most_steps);

struct FixedPoints {
  std::vector<ClosedPoint> stable = {};  // ascending: the first is reached from empty
  // The batch still grows at the largest size that is admitted, or that was measured, so from full none is
  // reached.
  bool grows = false;
};
// By Little's law a batch keeps its size n if n requests arrive while one is served: n = rate * tokens *
// step(n), more if prefills take a part of the time. Such a point is stable if a larger batch shrinks and a
// smaller grows.
FixedPoints fixed_points(double rate, double tokens, const Admission& admission);

struct ClosedBatches {
  Closed closed;
  Trace trace;                            // no rows: there is no answer
  std::optional<std::size_t> group = {};  // which of the groups it is of; absent: of eager steps
};
// The batches of each group but that of the prefill, and of their eager steps. Throws InputError.
std::vector<ClosedBatches> close(const std::vector<MeasuredGroup>& groups, const ClosedRequest& request);

}  // namespace graphbench::ladder
