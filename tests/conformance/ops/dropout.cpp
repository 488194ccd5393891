// dropout: its definition and cases; what is random of it is tests/unit/graphs/ir/philox_test.cpp's.
#include "graphs/ir/philox.hpp"
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> dropout(const ir::OpCall& call, std::vector<Tensor>& in) {
  const double p = given<double>(call, "p", 0);
  const auto stream = static_cast<std::uint64_t>(given<std::int64_t>(call, "stream", 0));
  Tensor y = in[0];
  for (Index i = 0; i < y.size(); ++i) {
    const ir::FourWords words =
        ir::philox({{static_cast<std::uint32_t>(i / 4), 0, static_cast<std::uint32_t>(in[1][0]), 0}}, stream);
    y[i] = words.word[i % 4] / 4294967296.0 < p ? 0 : y[i] / (1 - p);
  }
  return {y};
}

OpCase of(const char* name, ir::Shape shape, double count, double p, std::int64_t stream) {
  return {name,
          "dropout",
          {{std::move(shape), uniform(1)}, {{fixed_dim(1)}, constant(count), ir::ValueKind::state, true}},
          {{"p", p}, {"stream", stream}}};
}

const OpRegistration registration{
    "dropout",
    dropout,
    {of("dropout", {of_batch(), fixed_dim(48)}, 1, 0.5, 0),
     of("dropout_odd", {of_batch(), fixed_dim(7), fixed_dim(3)}, 70000, 0.125, 5),
     of("dropout_none", {of_batch(), fixed_dim(16)}, 3, 0, 2)}};

}  // namespace
}  // namespace graphbench::conformance
