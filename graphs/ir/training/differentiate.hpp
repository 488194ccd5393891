// From a forward program to the program of a training step: forward, loss, backward, optimizer.
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
// Which graphs a captured step consists of: one; forward, then backward and optimizer; or those of the layers
// one after the other, forward and then backward. A layer is what comes before the first dot of an op's name.
enum class Backward : std::uint8_t { iteration, apart, callables };
// In the step's last graph; behind it, launched eagerly; or each parameter's as soon as its gradient is
// complete, which is then no result of the step.
enum class OptimizerIn : std::uint8_t { graph, eager, backward };

// What of the forward part is kept for the backward part: all that it reads; or of each layer only what comes
// from outside of it, and its ops run once more.
enum class Checkpoint : std::uint8_t { none, layer };

struct TrainingOptions {
  Loss loss = Loss::mse;
  Optimizer optimizer = Optimizer::none;
  Accumulate accumulate = Accumulate::asap;
  double learning_rate = 1e-3;
  std::int64_t micro_batches = 1;  // parts of a batch, forward and backward of one after the other
  Backward backward = Backward::iteration;
  OptimizerIn optimizer_in = OptimizerIn::graph;
  Checkpoint checkpoint = Checkpoint::none;
};

// From words, by name: `loss`, `optimizer`, `accumulate`, `micro-batches`, `backward`, `optimizer-in`,
// `checkpoint`; others are not looked at.
// Throws Error(invalid_argument) for a value that there is not.
TrainingOptions training_options(const std::map<std::string, std::string>& words);

// The loss compares the program's first output with an input `loss.target`: of its shape, or, of
// cross_entropy, which wants rows, an integer a row. Its value is the new program's output, `loss.0`.
// Floating weights become parameters, in the order they had; each that the loss depends on has a gradient. An
// optimizer's state is state, named after its parameter; its learning rate is the state `optimizer.rate`, its
// count of steps `optimizer.count`. Ops keep their names; those of the backward part begin with the name of
// the op they come from. Of a later micro-batch, names of ops and inputs end in `.micro1` and so on, and
// there is an output more; the outputs together are the loss of the batch.
//
// `catalog` has the kinds of `forward` and the built-in ones, and outlives the result. Throws
// Error(no_backward), naming op or value: a kind without a rule where a gradient has to pass, an op that
// writes state there, an output of integers or, for cross_entropy, not of rows, no weight that the loss
// depends on, a training program.
Program differentiate(const Program& forward, const OpCatalog& catalog, const TrainingOptions& options);

bool is_training(const Program& program);
// Gradients and their hooks that no graph can hold, in words: one of each kind, and how many there are.
std::vector<std::string> uncapturable_gradients(const Program& program);
// At one batch.
facts::TrainingFacts training_facts(const Program& program, std::int64_t batch);

}  // namespace graphbench::ir
