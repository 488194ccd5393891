// The check that padding stays apart: with padding rows full of NaN, a replay leaves the caller's rows as
// eager has them at the padded size, and the state of every other sequence as it was.
#pragma once

#include <cstdint>

#include "graphs/execution/executor.hpp"

namespace graphbench::ladder {

struct PaddedStep {
  execution::Executor& executor;  // captured, of `size`
  const execution::ExecutionContext& context;
  std::int64_t rows = 0;  // the caller's, fewer than size
  std::int64_t size = 0;
  std::uint64_t seed = 1;
};

// Integer inputs have their pad value in padding rows, as when steps are served. Writes inputs and state.
// Throws Error(check_failed), naming value and row, and whatever a step throws.
void check_isolation(const PaddedStep& step);

}  // namespace graphbench::ladder
