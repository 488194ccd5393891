// The check that every timed cell passes before its numbers count: on inputs written after capture,
// into poisoned memory, the mode's outputs and the state it leaves must equal eager's, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/model/result.hpp"

namespace graphbench::worker {

struct CheckedStep {
  execution::Executor& executor;
  execution::ExecutionMode mode;
  const execution::ExecutionContext& context;
  std::int64_t batch;
  std::uint64_t seed;  // seed of the fresh inputs, and of the state that both runs start from
  std::uint64_t weights_seed;
  int steps = 1;  // steps that each side runs, with the same inputs on both
};

// The outputs of one run. Memory is the caller's and kept from check to check, largest batch first, because
// new pages from the system cost time.
struct Observed {
  std::vector<std::vector<std::byte>> outputs;  // the program's outputs, then the inputs that it writes
  std::vector<std::uint64_t> state_digests;     // in the order of mutated_state()
};
struct CheckMemory {
  Observed expected;
  Observed actual;
};

// Runs both sides. For an eager cell the reference is a second eager run. Leaves `detail` of the first
// difference in `why` (empty if identical). Throws Error(check_failed) if the reference itself
// holds a NaN or an infinity, Error(undeclared_mutation), naming op and value, where its run changed an
// input, a weight or state that no op declares to write, and whatever a step throws.
model::Check check_against_eager(const CheckedStep& step, CheckMemory& memory, std::string& why);

}  // namespace graphbench::worker
