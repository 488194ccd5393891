// The built-in ops under test. Each kind registers, in a file of ops/, its definition in fp64, written from
// graphs/ir/OPS.md as plainly as it goes, and the cases that every backend is held to.
#pragma once

#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::conformance {

using Index = std::size_t;
using Tensor = std::vector<double>;

// An op in a program of its own: its inputs are the program's, its outputs are read.
struct OpCase {
  struct Input {
    ir::Shape shape;
    ir::Init init;
    ir::ValueKind kind = ir::ValueKind::input;  // state, where the op mutates it
    bool integers = false;                      // i32, whatever the case's dtype
    bool scalar = false;                        // fp32, likewise
  };
  std::string name;
  std::vector<Input> inputs;
  ir::Attributes attributes;
  std::int64_t batch = 3;
  std::string kind = {};  // its registration's
};

// An op's outputs; inputs that it mutates are changed in place.
using Definition = std::vector<Tensor> (*)(const ir::OpCall& call, std::vector<Tensor>& inputs);

struct OpRegistration {
  // `slack`: what a case's results may be off beyond the rounding of its dtype.
  OpRegistration(const std::string& kind, Definition definition, std::vector<OpCase> cases,
                 double (*slack)(ir::DType) = nullptr);
};

const std::vector<OpCase>& op_cases();
std::vector<Tensor> reference(const ir::OpCall& call, std::vector<Tensor>& inputs);
bool has_reference(const std::string& kind);
double slack_of(const std::string& kind, ir::DType dtype);
ir::Program single_op_program(const ir::OpCatalog& catalog, const OpCase& op, ir::DType dtype);

// ---- for definitions and cases -------------------------------------------------------------------

using ir::fixed_dim;
using ir::of_batch;
inline constexpr std::int64_t one = 1;
ir::Init uniform(double bound);
ir::Init constant(double value);

inline Index extent(const ir::TensorDesc& desc, Index axis) {
  return static_cast<Index>(desc.dims.at(axis));
}

// An attribute as the op gives it, else `fallback`: a default of OPS.md, not of the code under test.
template <typename T>
T given(const ir::OpCall& call, const std::string& name, T fallback) {
  const auto found = call.op->attributes.find(name);
  return found != call.op->attributes.end() ? std::get<T>(found->second) : fallback;
}

double activate(double x, const std::string& activation);
void softmax(double* values, Index count);  // in place

}  // namespace graphbench::conformance
