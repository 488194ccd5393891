// The check that every timed cell passes before its numbers count: on inputs written after capture,
// into poisoned memory, the mode's outputs and the state it leaves must equal eager's, bit for bit.
#pragma once

#include <cstdint>

#include "graphs/execution/executor.hpp"
#include "harness/model/result.hpp"

namespace graphbench::worker {

struct CheckedStep {
  execution::Executor& executor;
  execution::ExecutionMode mode;
  const execution::ExecutionContext& context;
  std::int64_t batch;
  std::uint64_t seed;  // of the fresh inputs and of the state both runs start from
};

// Runs both sides. For an eager cell the reference is a second eager run. Leaves `detail` of the first
// difference in `why` (empty where identical). Throws Error(check_failed) where the reference itself
// holds a NaN or an infinity, and whatever a step throws.
model::Check check_against_eager(const CheckedStep& step, std::string& why);

}  // namespace graphbench::worker
