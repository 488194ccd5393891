// Makes the program of a training step from a forward program: forward, loss, backward, optimizer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graphs/base/facts/training.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::ir {

enum class Loss : std::uint8_t { mse, cross_entropy };
enum class Optimizer : std::uint8_t { none, sgd, adamw };
// When the summands of a gradient are added: as soon as each exists, or when the sum is needed.
enum class Accumulate : std::uint8_t { asap, end };
// The graphs of a captured step. iteration: one. apart: forward, then backward with optimizer. callables: one
// per layer forward, then one per layer backward. A layer is the part of an op's name before the first dot.
enum class Backward : std::uint8_t { iteration, apart, callables };
// Where the optimizer runs. graph: in the step's last graph. eager: after the graphs, launched eagerly.
// backward: in the backward phase, once a parameter's gradient is complete; the gradient is then not a
// result.
enum class OptimizerIn : std::uint8_t { graph, eager, backward };

// What forward keeps for backward. none: all that it reads. layer: a layer's inputs; its ops then run again.
enum class Checkpoint : std::uint8_t { none, layer };

struct TrainingOptions {
  Loss loss = Loss::mse;
  Optimizer optimizer = Optimizer::none;
  Accumulate accumulate = Accumulate::asap;
  double learning_rate = 1e-3;
  std::int64_t micro_batches = 1;  // parts of a batch; each runs forward and backward before the next
  Backward backward = Backward::iteration;
  OptimizerIn optimizer_in = OptimizerIn::graph;
  Checkpoint checkpoint = Checkpoint::none;
};

// Reads the keys `loss`, `optimizer`, `accumulate`, `micro-batches`, `backward`, `optimizer-in` and
// `checkpoint`, and ignores others. Throws Error(invalid_argument) for an unknown value.
TrainingOptions training_options(const std::map<std::string, std::string>& words);

// Adds a loss of the program's first output and a new input `loss.target`, which has the output's shape, or,
// for cross_entropy, one integer per row. The loss becomes the output `loss.0`. Float weights become
// parameters in the same order; each that the loss depends on gets a gradient. Optimizer state is named after
// its parameter; the learning rate is the state `optimizer.rate`, the step count `optimizer.count`. Ops keep
// their names; a backward op's name starts with its forward op's. In later micro-batches, names of ops and
// inputs end in `.micro1` and so on. Each micro-batch has its own loss output, and the sum of these outputs
// is the batch's loss.
//
// `catalog` must contain the built-in kinds and those of `forward`, and outlive the result. `forward` must
// not be a training program. Throws Error(no_backward), which names the op or value, if a gradient reaches
// an op without a rule or one that writes state, the loss depends on no weight, the output has integers, or,
// for cross_entropy, is not [rows, classes].
Program differentiate(const Program& forward, const OpCatalog& catalog, const TrainingOptions& options);

bool is_training(const Program& program);
// Describes the gradient ops and hooks that no graph can contain: one line per kind, with their number.
std::vector<std::string> uncapturable_gradients(const Program& program);
facts::TrainingFacts training_facts(const Program& program, std::int64_t batch);

}  // namespace graphbench::ir
