// The check that every timed cell must pass: with inputs written after capture and with poisoned memory, the
// mode's outputs and state must equal eager's, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/model/result.hpp"

namespace graphbench::measure {

struct CheckedStep {
  execution::Executor& executor;
  execution::ExecutionMode mode;
  const execution::ExecutionContext& context;
  std::int64_t batch;
  std::uint64_t seed;  // seeds the inputs and the state in which each run starts
  std::uint64_t weights_seed;
  int steps = 1;  // steps of each run, with the same inputs in both runs
  // The value of inputs that are predicates of conds. The check runs with this value, then with the other.
  bool taken = true;
};

// What a run leaves behind. All checks store it in one CheckMemory, because new pages cost time. The largest
// batch is checked first, so its memory is large enough for all batches.
struct Observed {
  std::vector<std::vector<std::byte>> outputs;  // the program's outputs, then the inputs that ops write
  std::vector<std::uint64_t> state_digests;     // in the order of mutated_state()
};
struct CheckMemory {
  Observed expected;
  Observed actual;
};

// Runs eager as the reference, then the mode (in an eager cell eager again). Writes the first difference, if
// any, to `why`. Throws a step's exceptions; Error(check_failed) if the reference has a NaN or an infinity;
// Error(undeclared_mutation), which names op and value, if the reference changed a value that no op mutates
// by its declaration.
model::Check check_against_eager(const CheckedStep& step, CheckMemory& memory, std::string& why);

}  // namespace graphbench::measure
