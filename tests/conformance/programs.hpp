// Hand-built programs that between them use every built-in kind of op, the base workloads, and ops of a
// plugin.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "graphs/ir/program.hpp"
#include "graphs/ir/training/differentiate.hpp"

namespace graphbench::conformance {

struct NamedProgram {
  std::string name;
  std::function<ir::Program(const ir::OpCatalog&, ir::DType)> build;
};

inline void PrintTo(const NamedProgram& program, std::ostream* out) {
  *out << program.name;
}

// chain: rmsnorm, linear (bias, gelu_tanh, residual), add, boundary; conv: conv2d with every option;
// branches: two conds, whose predicate is an input; attention: rope_kv_append and sdpa over a cache that the
// program mutates; norms: rmsnorm behind and ahead of linear and add, where a device may make one kernel of
// two ops; small: relu, gelu_tanh, softmax, add.
const std::vector<NamedProgram>& small_programs();

// The base workloads of preset `tiny`, and attention's prefill; attention of one op, and of three;
// epilogues as ops of their own.
const std::vector<NamedProgram>& base_programs();

// Two layers of causal attention, and a softmax between them.
ir::Program attending(const ir::OpCatalog& catalog, ir::DType dtype);

// The value of that name, which the program has.
ir::ValueId find(const ir::Program& program, const std::string& name);

// A training step of a program.
NamedProgram trained_program(const char* name, const NamedProgram& forward,
                             const ir::TrainingOptions& options);

// Training steps of some of them, with each optimizer and way of accumulating.
const std::vector<NamedProgram>& training_programs();

// Training steps through ops of a plugin that bring their gradients, and with hooks on gradients.
enum class Gradient { right, wrong, uncapturable };

// w2 · b + a of (b, a) = test_swap(a, b), a = w0 · x, b = w1 · x: on every device and in every dtype, as its
// ops copy memory. Or of test_product(a, b), in fp32, whose ops run on the host, on every device.
ir::Program swapped(ir::DType dtype, Gradient gradient, const ir::TrainingOptions& options);
ir::Program multiplied(Gradient gradient, const ir::TrainingOptions& options);

// Of `swapped`, in forms and with hooks; they take even batches.
std::vector<NamedProgram> plugin_training_programs();

}  // namespace graphbench::conformance
