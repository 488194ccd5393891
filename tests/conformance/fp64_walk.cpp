// Computes a program's ops one by one in fp64.
#include "tests/conformance/fp64_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graphs/ir/random_fill.hpp"

namespace graphbench::conformance {

Fp64Walk::Fp64Walk(const ir::Program& program, std::int64_t batch)
    : program_(program), batch_(batch), values_(program.values().size()) {}

Fp64Walk::Fp64Walk(Rig& rig, std::int64_t batch, std::uint64_t seed) : Fp64Walk(rig.program(), batch) {
  rig.reset(seed);
  for (ir::ValueId id = 0; id < values_.size(); ++id) {
    if (const void* address = rig.buffers().address(id)) values_[id] = read(rig, id, address);
  }
}

void Fp64Walk::fill(std::uint64_t seed) {
  for (ir::ValueId id = 0; id < values_.size(); ++id) {
    const ir::Value& value = program_.value(id);
    if (value.kind == ir::ValueKind::activation) continue;
    const auto low = static_cast<float>(value.init.low), high = static_cast<float>(value.init.high);
    values_[id].resize(static_cast<Index>(program_.describe(id, batch_).elements()));
    for (Index i = 0; i < values_[id].size(); ++i)
      values_[id][i] = value.init.kind == ir::Init::Kind::constant
                           ? value.init.low
                           : ir::uniform_at(ir::mix64(seed + id), i, low, high);
  }
}

void Fp64Walk::run() {
  for (ir::OpId id = 0; id < program_.ops().size(); ++id) {
    const ir::Op& op = program_.ops()[id];
    if (op.traits.marker) continue;
    std::vector<Tensor> inputs;
    for (const ir::ValueId input : op.inputs) inputs.push_back(values_[input]);
    std::vector<Tensor> outputs = reference(program_.call(id, batch_), inputs);
    // The op changed its mutated inputs in the copies above, so these replace the values.
    for (const ir::ValueId changed : op.mutates) {
      const auto at = std::ranges::find(op.inputs, changed) - op.inputs.begin();
      values_[changed] = std::move(inputs[static_cast<Index>(at)]);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) values_[op.outputs[i]] = std::move(outputs[i]);
  }
}

double Fp64Walk::relative_error(Rig& rig, ir::ValueId id, const void* address) const {
  const Tensor actual = read(rig, id, address);
  const Tensor& expected = values_.at(id);
  EXPECT_EQ(actual.size(), expected.size());
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  EXPECT_GT(norm, 0) << "a value of zeros would hide every error";
  return std::sqrt(difference / norm);
}

Tensor Fp64Walk::read(Rig& rig, ir::ValueId id, const void* address) const {
  const ir::TensorDesc desc = program_.describe(id, batch_);
  return decode(rig.read(address, desc.bytes()), desc.dtype);
}

}  // namespace graphbench::conformance
