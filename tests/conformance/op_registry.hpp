// The built-in ops under test. A file in ops/ registers each kind: its definition in fp64, which follows
// graphs/ir/OPS.md as plainly as possible, and the cases that every backend must pass.
#pragma once

#include <string>
#include <vector>

#include "graphs/ir/program.hpp"

namespace graphbench::conformance {

using Index = std::size_t;
using Tensor = std::vector<double>;

// A program of one op. The op's inputs are the program's inputs, and its outputs are the program's outputs.
struct OpCase {
  struct Input {
    ir::Shape shape;
    ir::Init init;
    ir::ValueKind kind = ir::ValueKind::input;  // state if the op mutates it
    bool integers = false;                      // i32, whatever the case's dtype
    bool scalar = false;                        // fp32, whatever the case's dtype
  };
  std::string name;
  std::vector<Input> inputs;
  ir::Attributes attributes;
  std::int64_t batch = 3;
  std::string kind = {};  // set by OpRegistration
};

// Returns an op's outputs. Changes the inputs that the op mutates in place.
using Definition = std::vector<Tensor> (*)(const ir::OpCall& call, std::vector<Tensor>& inputs);

struct OpRegistration {
  // `slack`: the absolute error that results may have in addition to the rounding of the case's dtype.
  OpRegistration(const std::string& kind, Definition definition, std::vector<OpCase> cases,
                 double (*slack)(ir::DType) = nullptr);
};

const std::vector<OpCase>& op_cases();
std::vector<Tensor> reference(const ir::OpCall& call, std::vector<Tensor>& inputs);
bool has_reference(const std::string& kind);
double slack_of(const std::string& kind, ir::DType dtype);
ir::Program single_op_program(const ir::OpCatalog& catalog, const OpCase& op, ir::DType dtype);

using ir::fixed_dim;
using ir::of_batch;
inline constexpr std::int64_t one = 1;
ir::Init uniform(double bound);
ir::Init constant(double value);

inline Index extent(const ir::TensorDesc& desc, Index axis) {
  return static_cast<Index>(desc.dims.at(axis));
}

// The op's attribute, or `fallback` if the op has none: the default of OPS.md, not of the code under test.
template <typename T>
T given(const ir::OpCall& call, const std::string& name, T fallback) {
  const auto found = call.op->attributes.find(name);
  return found != call.op->attributes.end() ? std::get<T>(found->second) : fallback;
}

double activate(double x, const std::string& activation);
void softmax(double* values, Index count);  // in place

}  // namespace graphbench::conformance
