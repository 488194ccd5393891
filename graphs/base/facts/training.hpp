// The parts of the program of a training step.
#pragma once

#include <cstdint>
#include <optional>

namespace graphbench::facts {

// Markers are not counted.
struct TrainingOps {
  std::int64_t forward;  // with the loss
  std::int64_t backward;
  std::int64_t accumulate;  // additions of gradients that are ops of their own
  std::int64_t optimizer;
  std::int64_t removed;  // forward ops that were removed, because the loss does not need them
};

// In a forward program every count but `ops.forward` is zero.
struct TrainingFacts {
  TrainingOps ops;
  std::int64_t saved_bytes;      // activations that forward leaves to later phases
  std::int64_t gradient_bytes;   // of parameters
  std::int64_t optimizer_bytes;  // state that the optimizer writes
  // Gradients that one graph of the step takes from another. Both have them at one address, so a framework
  // that compares pointers would copy nothing.
  std::optional<std::int64_t> copies_skipped;
};

}  // namespace graphbench::facts
