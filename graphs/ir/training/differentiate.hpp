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
// When gradients that add up are added: as soon as each exists, or once the sum is needed.
enum class Accumulate : std::uint8_t { asap, end };
// The graphs of a captured step: one; forward, then backward and optimizer; or one per layer, forward and
// then backward. A layer is what comes before the first dot of an op's name.
enum class Backward : std::uint8_t { iteration, apart, callables };
// Where the optimizer runs: in the step's last graph; behind it, launched eagerly; or for each parameter as
// soon as its gradient is complete, which is then not a result of the step.
enum class OptimizerIn : std::uint8_t { graph, eager, backward };

// The values that the forward part keeps for the backward part: all that it reads; or only the inputs of each
// layer, whose ops then run once more.
enum class Checkpoint : std::uint8_t { none, layer };

struct TrainingOptions {
  Loss loss = Loss::mse;
  Optimizer optimizer = Optimizer::none;
  Accumulate accumulate = Accumulate::asap;
  double learning_rate = 1e-3;
  // number of parts of a batch, each of which runs forward and backward before the next
  std::int64_t micro_batches = 1;
  Backward backward = Backward::iteration;
  OptimizerIn optimizer_in = OptimizerIn::graph;
  Checkpoint checkpoint = Checkpoint::none;
};

// Makes options from words by name: `loss`, `optimizer`, `accumulate`, `micro-batches`, `backward`,
// `optimizer-in`, `checkpoint`. Ignores others. Throws Error(invalid_argument) for an unknown value.
TrainingOptions training_options(const std::map<std::string, std::string>& words);

// The loss compares the program's first output with an input `loss.target`: of its shape, or, for
// cross_entropy, which needs rows, one integer per row. Its value is the new program's output, `loss.0`.
// Floating weights become parameters, in the order they had; each that the loss depends on has a gradient. An
// optimizer's state is state, named after its parameter; its learning rate is the state `optimizer.rate`, its
// count of steps `optimizer.count`. Ops keep their names; an op of the backward part begins with the name of
// the op that it comes from. In a later micro-batch, names of ops and inputs end in `.micro1` and so on, and
// there is one output more; the outputs together are the loss of the batch.
//
// `catalog` has the kinds of `forward` and the built-in ones, and outlives the result. Throws
// Error(no_backward), which names op or value, for a kind without a rule where a gradient has to pass, an op
// that writes state there, an output of integers or, for cross_entropy, not of rows, a loss that depends on
// no weight, and a training program.
Program differentiate(const Program& forward, const OpCatalog& catalog, const TrainingOptions& options);

bool is_training(const Program& program);
// Names gradients and hooks that no graph can hold: one of each kind, and how many there are.
std::vector<std::string> uncapturable_gradients(const Program& program);
// At one batch.
facts::TrainingFacts training_facts(const Program& program, std::int64_t batch);

}  // namespace graphbench::ir
