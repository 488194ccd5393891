// sdpa: its definition and cases.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> sdpa(const ir::OpCall& call, std::vector<Tensor>& in) {
  const ir::TensorDesc& q = call.input(0);
  const Index batch = extent(q, 0), heads = extent(q, 1), tokens = extent(q, 2), dim = extent(q, 3);
  const Index slots = extent(call.input(1), 2);
  const bool causal = given<std::int64_t>(call, "causal", 0) == 1;
  Tensor out(in[0].size());
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index t = 0; t < tokens; ++t) {
        const double* query = &in[0][((b * heads + h) * tokens + t) * dim];
        const Index cache = (b * heads + h) * slots * dim;
        const Index visible = causal ? slots - tokens + t + 1 : slots;
        Tensor scores(visible);
        for (Index s = 0; s < visible; ++s) {
          for (Index d = 0; d < dim; ++d) scores[s] += query[d] * in[1][cache + s * dim + d];
          scores[s] /= std::sqrt(static_cast<double>(dim));
        }
        softmax(scores.data(), visible);
        for (Index s = 0; s < visible; ++s) {
          for (Index d = 0; d < dim; ++d) {
            out[((b * tokens + t) * heads + h) * dim + d] += scores[s] * in[2][cache + s * dim + d];
          }
        }
      }
    }
  }
  return {out};
}

OpCase sdpa_case(std::string name, std::int64_t batch, std::int64_t tokens, std::int64_t slots,
                 std::int64_t causal) {
  const auto heads = [](std::int64_t rows) {
    return ir::Shape{of_batch(), fixed_dim(2), fixed_dim(rows), fixed_dim(16)};
  };
  return {std::move(name),
          "sdpa",
          {{heads(tokens), uniform(2)}, {heads(slots), uniform(2)}, {heads(slots), uniform(1)}},
          {{"causal", causal}},
          batch};
}

// It may round its weights as well: they add up to 1, and no value of its cases is above 1.
double rounded_weights(ir::DType dtype) {
  if (dtype == ir::DType::fp32) return 0.0;
  return dtype == ir::DType::fp16 ? 0x1p-12 : 0x1p-9;
}

const OpRegistration registration{
    "sdpa",
    sdpa,
    {sdpa_case("sdpa_decode", 3, 1, 19, 0), sdpa_case("sdpa_prefill", 2, 5, 5, 0),
     sdpa_case("sdpa_causal", 2, 5, 11, 1), sdpa_case("sdpa_causal_square", 3, 6, 6, 1)},
    rounded_weights};

}  // namespace
}  // namespace graphbench::conformance
