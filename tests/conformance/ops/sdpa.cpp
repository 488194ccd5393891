// sdpa and its gradient: their definitions and cases.
#include <cmath>

#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

// A query, with the attention weights of the keys that it attends to. The indexes are into whole tensors.
struct Query {
  Index q = 0;       // of the query's vector in q
  Index keys = 0;    // of its head's first key in k, and of its first value in v
  Index output = 0;  // of its vector in the output
  Tensor weights;
};

std::vector<Query> queries(const ir::OpCall& call, Index position, const Tensor& q_values, const Tensor& k) {
  const ir::TensorDesc& q = call.input(position);
  const Index batch = extent(q, 0), heads = extent(q, 1), tokens = extent(q, 2), dim = extent(q, 3);
  const Index slots = extent(call.input(position + 1), 2);
  const bool causal = given<std::int64_t>(call, "causal", 0) == 1;
  std::vector<Query> all;
  for (Index row = 0; row < batch * heads * tokens; ++row) {
    const Index t = row % tokens, h = row / tokens % heads, b = row / tokens / heads;
    Query& query =
        all.emplace_back(Query{row * dim, row / tokens * slots * dim, ((b * tokens + t) * heads + h) * dim,
                               Tensor(causal ? slots - tokens + t + 1 : slots)});
    for (Index s = 0; s < query.weights.size(); ++s) {
      for (Index d = 0; d < dim; ++d) query.weights[s] += q_values[query.q + d] * k[query.keys + s * dim + d];
      query.weights[s] /= std::sqrt(static_cast<double>(dim));
    }
    softmax(query.weights.data(), query.weights.size());
  }
  return all;
}

std::vector<Tensor> sdpa(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index dim = extent(call.input(0), 3);
  Tensor out(in[0].size());
  for (const Query& query : queries(call, 0, in[0], in[1])) {
    for (Index s = 0; s < query.weights.size(); ++s) {
      for (Index d = 0; d < dim; ++d)
        out[query.output + d] += query.weights[s] * in[2][query.keys + s * dim + d];
    }
  }
  return {out};
}

std::vector<Tensor> gradient(const ir::OpCall& call, std::vector<Tensor>& in) {
  const Index dim = extent(call.input(1), 3);
  const Tensor &dy = in[0], &q = in[1], &k = in[2], &v = in[3], &o = in[4];
  Tensor dq(q.size()), dk(k.size()), dv(v.size());
  for (const Query& query : queries(call, 1, q, k)) {
    double projection = 0;
    for (Index d = 0; d < dim; ++d) projection += dy[query.output + d] * o[query.output + d];
    for (Index s = 0; s < query.weights.size(); ++s) {
      const Index key = query.keys + s * dim;
      double slope = -projection;
      for (Index d = 0; d < dim; ++d) slope += dy[query.output + d] * v[key + d];
      slope *= query.weights[s] / std::sqrt(static_cast<double>(dim));
      for (Index d = 0; d < dim; ++d) {
        dq[query.q + d] += slope * k[key + d];
        dk[key + d] += slope * q[query.q + d];
        dv[key + d] += query.weights[s] * dy[query.output + d];
      }
    }
  }
  return {dq, dk, dv};
}

OpCase gradient_case(std::string name, std::int64_t tokens, std::int64_t slots, std::int64_t dim,
                     std::int64_t causal) {
  const auto heads = [dim](std::int64_t rows) {
    return OpCase::Input{{of_batch(), fixed_dim(2), fixed_dim(rows), fixed_dim(dim)}, uniform(1)};
  };
  const OpCase::Input output{{of_batch(tokens), fixed_dim(2 * dim)}, uniform(0.5)};
  return {
      std::move(name), {output, heads(tokens), heads(slots), heads(slots), output}, {{"causal", causal}}, 2};
}

OpCase sdpa_case(std::string name, std::int64_t batch, std::int64_t tokens, std::int64_t slots,
                 std::int64_t causal) {
  const auto heads = [](std::int64_t rows) {
    return ir::Shape{of_batch(), fixed_dim(2), fixed_dim(rows), fixed_dim(16)};
  };
  return {std::move(name),
          {{heads(tokens), uniform(2)}, {heads(slots), uniform(2)}, {heads(slots), uniform(1)}},
          {{"causal", causal}},
          batch};
}

// sdpa may also round its attention weights, which add up to 1; no value in its cases is above 1. The
// gradient also rounds the slopes, which are smaller in its cases.
double rounded_weights(ir::DType dtype) {
  if (dtype == ir::DType::fp32) return 0.0;
  return dtype == ir::DType::fp16 ? 0x1p-12 : 0x1p-9;
}

const OpRegistration registrations[] = {
    {"sdpa",
     sdpa,
     {sdpa_case("sdpa_decode", 3, 1, 19, 0), sdpa_case("sdpa_prefill", 2, 5, 5, 0),
      sdpa_case("sdpa_causal", 2, 5, 11, 1), sdpa_case("sdpa_causal_square", 3, 6, 6, 1)},
     rounded_weights},
    {"sdpa_grad",
     gradient,
     {gradient_case("sdpa_grad", 5, 5, 16, 0), gradient_case("sdpa_grad_causal", 70, 70, 64, 1),
      gradient_case("sdpa_grad_slots", 33, 67, 6, 1), gradient_case("sdpa_grad_wide", 9, 40, 136, 0),
      gradient_case("sdpa_grad_rest", 40, 130, 64, 1), gradient_case("sdpa_grad_all", 75, 20, 64, 0)},
     rounded_weights}};

}  // namespace
}  // namespace graphbench::conformance
