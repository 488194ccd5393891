// Keeps what the files of ops/ register, and has the arithmetic that several definitions share.
#include "tests/conformance/op_registry.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "graphs/base/error.hpp"

namespace graphbench::conformance {
namespace {

struct Registered {
  Definition definition = nullptr;
  double (*slack)(ir::DType) = nullptr;
};

struct Registry {
  std::map<std::string, Registered> kinds;
  std::vector<OpCase> cases;
};

// Static objects fill the registry, so it must exist before the first of them is constructed.
Registry& registry() {
  static Registry filled;
  return filled;
}

double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

}  // namespace

OpRegistration::OpRegistration(const std::string& kind, Definition definition, std::vector<OpCase> cases,
                               double (*slack)(ir::DType)) {
  registry().kinds[kind] = {definition, slack};
  for (OpCase& each : cases) {
    each.kind = kind;
    registry().cases.push_back(std::move(each));
  }
}

const std::vector<OpCase>& op_cases() {
  return registry().cases;
}

bool has_reference(const std::string& kind) {
  return registry().kinds.contains(kind);
}

std::vector<Tensor> reference(const ir::OpCall& call, std::vector<Tensor>& inputs) {
  if (!has_reference(call.op->kind))
    throw Error(ErrorCode::internal, "reference: no op of kind " + call.op->kind);
  return registry().kinds[call.op->kind].definition(call, inputs);
}

double slack_of(const std::string& kind, ir::DType dtype) {
  const auto slack = registry().kinds[kind].slack;
  return slack != nullptr ? slack(dtype) : 0.0;
}

ir::Program single_op_program(const ir::OpCatalog& catalog, const OpCase& op, ir::DType dtype) {
  ir::ProgramBuilder b(op.name, catalog);
  std::vector<ir::ValueId> inputs;
  for (const OpCase::Input& input : op.inputs) {
    const ir::DType own = input.integers ? ir::DType::i32 : input.scalar ? ir::DType::fp32 : dtype;
    inputs.push_back(
        b.value(input.kind, "input" + std::to_string(inputs.size()), own, input.shape, input.init));
  }
  for (const ir::ValueId output : b.op(op.kind, "op", inputs, op.attributes)) b.mark_output(output);
  return b.finish();
}

ir::Init uniform(double bound) {
  return {ir::Init::Kind::uniform, -bound, bound};
}

ir::Init constant(double value) {
  return {ir::Init::Kind::constant, value, value};
}

double activate(double x, const std::string& activation) {
  if (activation == "relu") return x > 0 ? x : 0;
  if (activation == "gelu_tanh") return gelu_tanh(x);
  return x;
}

void softmax(double* values, Index count) {
  double largest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < count; ++i) largest = std::max(largest, values[i]);
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += values[i] = std::exp(values[i] - largest);
  for (Index i = 0; i < count; ++i) values[i] /= sum;
}

}  // namespace graphbench::conformance
