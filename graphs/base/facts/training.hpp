// Counts the ops and bytes of a training step's program.
#pragma once

#include <cstdint>
#include <optional>

namespace graphbench::facts {

// Markers are not counted.
struct TrainingOps {
  std::int64_t forward;  // includes the loss op
  std::int64_t backward;
  std::int64_t accumulate;  // separate ops that add gradients
  std::int64_t optimizer;
  std::int64_t removed;  // forward ops that the loss does not need
};

// For a forward program, all counts except `ops.forward` are zero.
struct TrainingFacts {
  TrainingOps ops;
  std::int64_t saved_bytes;  // forward activations that later phases read
  std::int64_t gradient_bytes;
  std::int64_t optimizer_bytes;  // state that the optimizer writes
  // How often a graph reads a gradient of another part of the step (graph or eager op), at the address where
  // that part wrote it. So a framework that compares pointers would skip the copy.
  std::optional<std::int64_t> copies_skipped;
};

}  // namespace graphbench::facts
