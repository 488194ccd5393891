// cond: its definition, and cases of both outcomes.
#include "graphs/ir/cond.hpp"

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> cond(const ir::OpCall& call, std::vector<Tensor>& in) {
  if (in[0][0] == 0) return {in.back()};
  const ir::Op body = ir::body_of(*call.op);
  ir::OpCall taken{&body, call.batch, {call.operands.begin() + 1, call.operands.end()}, in.size() - 1, {}};
  std::vector<Tensor> inputs(in.begin() + 1, in.end());
  return reference(taken, inputs);
}

OpCase::Input predicate(double value) {
  return {{fixed_dim(1)}, constant(value), ir::ValueKind::input, true};
}
const OpCase::Input rows{{of_batch(), fixed_dim(37)}, uniform(1)};
const OpCase::Input weight{{fixed_dim(37), fixed_dim(37)}, uniform(0.2), ir::ValueKind::weight};
const ir::Attributes add{{"body", std::string("add")}};
const ir::Attributes linear{{"body", std::string("linear")}, {"residual", one}};

const OpRegistration registrations[] = {
    {"cond",
     cond,
     {{"cond_taken", {predicate(1), rows, rows}, add, 5},
      {"cond_taken_minus", {predicate(-7), rows, rows}, add, 5},
      {"cond_not_taken", {predicate(0), rows, rows}, add, 5},
      {"cond_linear", {predicate(1), rows, weight, rows}, linear, 5},
      {"cond_linear_not", {predicate(0), rows, weight, rows}, linear, 5}}}};

}  // namespace
}  // namespace graphbench::conformance
