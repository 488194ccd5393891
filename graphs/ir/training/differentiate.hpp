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
// backward: in the backward phase, once a parameter's gradient is complete; the gradient is no result then.
enum class OptimizerIn : std::uint8_t { graph, eager, backward };

// The values that forward keeps for backward. none: all that backward reads. layer: only the inputs of each
// layer, whose forward ops then run again.
enum class Checkpoint : std::uint8_t { none, layer };

struct TrainingOptions {
  Loss loss = Loss::mse;
  Optimizer optimizer = Optimizer::none;
  Accumulate accumulate = Accumulate::asap;
  double learning_rate = 1e-3;
  // Number of parts of a batch. Each part runs forward and backward before the next part.
  std::int64_t micro_batches = 1;
  Backward backward = Backward::iteration;
  OptimizerIn optimizer_in = OptimizerIn::graph;
  Checkpoint checkpoint = Checkpoint::none;
};

// Makes options from the keys `loss`, `optimizer`, `accumulate`, `micro-batches`, `backward`, `optimizer-in`
// and `checkpoint`. Ignores other keys. Throws Error(invalid_argument) for an unknown value.
TrainingOptions training_options(const std::map<std::string, std::string>& words);

// Adds a loss that compares the program's first output with a new input `loss.target`. The target has the
// output's shape, or, for cross_entropy, one integer per row. The loss becomes the output `loss.0`. Float
// weights become parameters in the same order. Each parameter that the loss depends on gets a gradient.
// Optimizer state is named after its parameter; the learning rate is the state `optimizer.rate`, the step
// count `optimizer.count`. Ops keep their names, and the name of a backward op starts with its forward op's
// name. In later micro-batches, names of ops and inputs end in `.micro1` and so on. Each micro-batch has its
// own loss output; their sum is the loss of the batch.
//
// `catalog` must contain the built-in kinds and those of `forward`, and outlive the result. `forward` must
// not be a training program. Throws Error(no_backward), which names the op or value, if a gradient reaches
// an op that has no rule or writes state, or if the loss depends on no weight. The output must not contain
// integers and, for cross_entropy, must be [rows, classes]; else throws Error(no_backward) too.
Program differentiate(const Program& forward, const OpCatalog& catalog, const TrainingOptions& options);

bool is_training(const Program& program);
// Describes the gradient ops and hooks that no graph can contain: one line per kind, with their number.
std::vector<std::string> uncapturable_gradients(const Program& program);
facts::TrainingFacts training_facts(const Program& program, std::int64_t batch);

}  // namespace graphbench::ir
