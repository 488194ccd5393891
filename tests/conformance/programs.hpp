// Programs for tests: built by hand with every built-in op, the base workloads, and with a plugin's ops.
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
// program mutates; norms: rmsnorm before and after linear and add, so that a device may make one kernel of
// two ops; small: relu, gelu_tanh, softmax, add.
const std::vector<NamedProgram>& small_programs();

// The base workloads in preset `tiny`, and attention also in `tiny-prefill`; and variants: decomposed
// attention, epilogues as separate ops, `cond`, and separate products for q, k and v.
const std::vector<NamedProgram>& base_programs();

// Two layers of causal attention, and a softmax between them.
ir::Program attending(const ir::OpCatalog& catalog, ir::DType dtype);

ir::ValueId find(const ir::Program& program, const std::string& name);

NamedProgram trained_program(const char* name, const NamedProgram& forward,
                             const ir::TrainingOptions& options);

// Training steps of some programs above, with each optimizer and each way to accumulate gradients.
const std::vector<NamedProgram>& training_programs();

// The gradient ops of the plugin in the training steps below: right, wrong, or impossible to capture.
enum class Gradient { right, wrong, uncapturable };

// Layers with a = w0 · x, b = w1 · x. `swapped` is w2 · b + a by test_swap(a, b), whose ops copy memory, on
// all devices and in all dtypes. `multiplied` uses test_product(a, b) in fp32, whose ops run on the host.
ir::Program swapped(ir::DType dtype, Gradient gradient, const ir::TrainingOptions& options);
ir::Program multiplied(Gradient gradient, const ir::TrainingOptions& options);

// Training steps of `swapped` in several forms of backward, without and with hooks. Some need even batches.
std::vector<NamedProgram> plugin_training_programs();

}  // namespace graphbench::conformance
