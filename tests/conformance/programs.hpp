// Hand-built programs that between them use every built-in kind of op, and the base workloads.
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
// attention: rope_kv_append and sdpa over a cache that the program mutates; norms: rmsnorm behind and ahead
// of linear and add, where a device may make one kernel of two ops; small: relu, gelu_tanh,
// softmax, add.
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

}  // namespace graphbench::conformance
