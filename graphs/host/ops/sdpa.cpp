// sdpa is matmul, softmax and matmul over chunks of sequences. So a chunk's scores stay in the CPU's cache,
// and scratch memory does not grow with the batch. Scores and probabilities are fp32. sdpa_grad loops over
// queries for dq, then over keys for dk and dv. It computes the probabilities again from q and k.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/library_op.hpp"
#include "graphs/host/ops/sums.hpp"

namespace graphbench::host {
namespace {

using Dim = dnnl::memory::dim;
using Type = dnnl::memory::data_type;

// An approximate limit, so that the scores and values of a chunk fit into a core's caches.
constexpr Dim chunk_bytes_max = 4 * 1024 * 1024;

struct SdpaExtents {
  Dim batch, heads, tokens, slots, head_dim;
};

// The largest number of sequences per chunk that fits the limit and divides the batch, so that all chunks
// have one shape.
Dim sequences_per_chunk(const SdpaExtents& e) {
  const Dim bytes_each = 4 * e.heads * e.slots * (e.tokens + e.head_dim);
  Dim sequences = e.batch;
  while (sequences > 1 && (e.batch % sequences != 0 || sequences * bytes_each > chunk_bytes_max)) --sequences;
  return sequences;
}

class ChunkPlan {
 public:
  ChunkPlan(const SdpaExtents& e, Type type, bool causal, Dim sequences);
  void append(LibraryOpBuilder& builder, Dim chunk) const;
  // The chunks run one after another, so they share scratch memory.
  void lay_out(LibraryOpBuilder& builder);

 private:
  Place operand_at(int operand, Dim chunk, Dim elements_each) const {
    const Dim bytes = chunk * sequences_ * elements_each * (type_ == Type::bf16 ? 2 : 4);
    return {operand, static_cast<std::size_t>(bytes)};
  }
  bool converts_values() const { return type_ != Type::f32; }
  // The product is [sequences, heads, tokens, head_dim] in fp32; the output is [sequences, tokens, heads,
  // head_dim] in its own type. With one token both orders are the same.
  bool converts_output() const { return type_ != Type::f32 || e_.tokens != 1; }

  SdpaExtents e_;
  Type type_;
  bool causal_;
  Dim sequences_;
  dnnl::memory::desc q_, k_transposed_, v_, v_fp32_, scores_, mask_, product_, o_plain_, o_permuted_;
  dnnl::matmul::primitive_desc score_;
  dnnl::softmax_forward::primitive_desc softmax_;
  dnnl::reorder::primitive_desc widen_;
  dnnl::matmul::primitive_desc weigh_;
  dnnl::reorder::primitive_desc store_;
  Place mask_place_, scores_place_, values_place_, product_place_;
};

ChunkPlan::ChunkPlan(const SdpaExtents& e, Type type, bool causal, Dim sequences)
    : e_(e), type_(type), causal_(causal), sequences_(sequences) {
  const dnnl::engine engine = library_engine_handle();
  // The matmuls have one dimension for sequences times heads. It is the second one, after a dimension of 1,
  // so that oneDNN's fast kernels broadcast one mask over it.
  const Dim n = sequences * e.heads;
  q_ = plain({1, n, e.tokens, e.head_dim}, type);
  const Dim head = e.slots * e.head_dim;
  k_transposed_ = {{1, n, e.head_dim, e.slots}, type, dnnl::memory::dims{n * head, head, 1, e.head_dim}};
  v_ = plain({1, n, e.slots, e.head_dim}, type);
  v_fp32_ = plain({1, n, e.slots, e.head_dim}, Type::f32);
  scores_ = plain({1, n, e.tokens, e.slots}, Type::f32);
  mask_ = plain({1, 1, e.tokens, e.slots}, Type::f32);
  product_ = plain({1, n, e.tokens, e.head_dim}, Type::f32);
  const Dim row = e.heads * e.head_dim;
  o_plain_ = plain({sequences, e.heads, e.tokens, e.head_dim}, Type::f32);
  o_permuted_ = {{sequences, e.heads, e.tokens, e.head_dim},
                 type,
                 dnnl::memory::dims{e.tokens * row, e.head_dim, row, 1}};

  dnnl::primitive_attr scaled = library_attributes();
  scaled.set_output_scales(0, {1.0f / std::sqrt(static_cast<float>(e.head_dim))});
  if (causal) {
    dnnl::post_ops post_ops;
    post_ops.append_binary(dnnl::algorithm::binary_add, mask_);
    scaled.set_post_ops(post_ops);
  }
  score_ = {dnnl::matmul::desc(q_, k_transposed_, scores_), scaled, engine};
  softmax_ = {dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, scores_, 3),
              library_attributes(), engine};
  if (converts_values()) widen_ = {engine, v_, engine, v_fp32_, library_attributes()};
  weigh_ = {dnnl::matmul::desc(scores_, v_fp32_, product_), library_attributes(), engine};
  if (converts_output()) store_ = {engine, o_plain_, engine, o_permuted_, library_attributes()};
}

void ChunkPlan::lay_out(LibraryOpBuilder& builder) {
  if (causal_) mask_place_ = builder.constant(causal_mask(e_.tokens, e_.slots));
  scores_place_ = builder.scratch(scores_.get_size());
  if (converts_values()) values_place_ = builder.scratch(v_fp32_.get_size());
  if (converts_output()) product_place_ = builder.scratch(product_.get_size());
}

void ChunkPlan::append(LibraryOpBuilder& builder, Dim chunk) const {
  const Dim query = e_.heads * e_.tokens * e_.head_dim;
  const Dim cache = e_.heads * e_.slots * e_.head_dim;
  const Place out = operand_at(3, chunk, query);
  std::vector<LibraryArgument> arguments = {{DNNL_ARG_SRC, q_, operand_at(0, chunk, query)},
                                            {DNNL_ARG_WEIGHTS, k_transposed_, operand_at(1, chunk, cache)},
                                            {DNNL_ARG_DST, scores_, scores_place_}};
  if (causal_) arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, mask_, mask_place_});
  builder.step<dnnl::matmul>(score_, std::move(arguments));
  builder.step<dnnl::softmax_forward>(
      softmax_, {{DNNL_ARG_SRC, scores_, scores_place_}, {DNNL_ARG_DST, scores_, scores_place_}});
  Place values = operand_at(2, chunk, cache);
  if (converts_values()) {
    builder.step<dnnl::reorder>(widen_, {{DNNL_ARG_FROM, v_, values}, {DNNL_ARG_TO, v_fp32_, values_place_}});
    values = values_place_;
  }
  builder.step<dnnl::matmul>(weigh_, {{DNNL_ARG_SRC, scores_, scores_place_},
                                      {DNNL_ARG_WEIGHTS, v_fp32_, values},
                                      {DNNL_ARG_DST, product_, converts_output() ? product_place_ : out}});
  if (converts_output()) {
    builder.step<dnnl::reorder>(store_,
                                {{DNNL_ARG_FROM, o_plain_, product_place_}, {DNNL_ARG_TO, o_permuted_, out}});
  }
}

}  // namespace

std::unique_ptr<OpImplementation> make_sdpa(const ir::OpCall& call, ScratchArena& scratch) {
  return library_guard(call, [&] {
    const auto& q = call.input(0).dims;
    const SdpaExtents extents{q.at(0), q.at(1), q.at(2), call.input(1).dims.at(2), q.at(3)};
    const bool causal = ir::integer_attribute(*call.op, "causal") != 0;
    const Dim sequences = sequences_per_chunk(extents);
    ChunkPlan plan(extents, library_type(call.output(0).dtype), causal, sequences);
    LibraryOpBuilder builder;
    plan.lay_out(builder);
    for (Dim chunk = 0; chunk < extents.batch / sequences; ++chunk) plan.append(builder, chunk);
    return builder.finish(scratch);
  });
}

namespace {

constexpr std::int64_t columns_at_once = 64;

template <typename T>
class SdpaGrad {
 public:
  SdpaGrad(const ir::OpCall& call, ScratchArena& scratch)
      : heads_(call.input(1).dims.at(1)),
        tokens_(call.input(1).dims.at(2)),
        slots_(call.input(2).dims.at(2)),
        dim_(call.input(1).dims.at(3)),
        head_rows_(call.input(1).dims.at(0) * heads_),
        causal_(ir::integer_attribute(*call.op, "causal") != 0),
        scale_(1.0f / std::sqrt(static_cast<float>(dim_))),
        stats_(reinterpret_cast<Stats*>(
            scratch.reserve(static_cast<std::size_t>(head_rows_ * tokens_) * sizeof(Stats)))) {}

  void operator()(void* const* operands) {
    const auto at = [&](std::size_t i) { return static_cast<T*>(operands[i]); };
    const Operands o{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
    const std::int64_t grain = 1 + 16 * 1024 / (slots_ * dim_);
    parallel_for(head_rows_ * tokens_, grain, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) query(o, row);
    });
    parallel_for(head_rows_ * slots_, grain, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) key(o, row);
    });
  }

 private:
  // Per query: the log-sum-exp of its scores, and the dot product of its rows of o and dy.
  struct Stats {
    float log_sum;
    float projection;
  };
  struct Operands {
    const T *dy, *q, *k, *v, *o;
    T *dq, *dk, *dv;
  };
  // Per query and key: the probability, and the gradient of the loss with respect to the score.
  struct Weight {
    float probability;
    float slope;
  };

  float dot(const T* a, const T* b) const {
    return sum_in_lanes(dim_, [=](std::int64_t d) { return to_float(a[d]) * to_float(b[d]); });
  }
  // The offset in o and dy of the row that belongs to row `row` of q.
  std::int64_t output_at(std::int64_t row) const {
    const std::int64_t head_row = row / tokens_;
    return ((head_row / heads_ * tokens_ + row % tokens_) * heads_ + head_row % heads_) * dim_;
  }
  Weight weight(const Operands& o, std::int64_t query_row, std::int64_t key_row) const {
    const Stats& stats = stats_[query_row];
    const float score = scale_ * dot(o.q + query_row * dim_, o.k + key_row * dim_);
    const float probability = std::exp(score - stats.log_sum);
    return {probability,
            probability * (dot(o.dy + output_at(query_row), o.v + key_row * dim_) - stats.projection)};
  }

  void query(const Operands& o, std::int64_t row) {
    const std::int64_t keys = row / tokens_ * slots_;
    const std::int64_t visible = causal_ ? slots_ - tokens_ + row % tokens_ + 1 : slots_;
    const auto score = [&](std::int64_t j) {
      return scale_ * dot(o.q + row * dim_, o.k + (keys + j) * dim_);
    };
    float largest = score(0);
    float sum = 1.0f;
    for (std::int64_t j = 1; j < visible; ++j) {
      const float each = score(j);
      const float now = std::max(largest, each);
      sum = sum * std::exp(largest - now) + std::exp(each - now);
      largest = now;
    }
    stats_[row] = {largest + std::log(sum), dot(o.dy + output_at(row), o.o + output_at(row))};
    for (std::int64_t begin = 0; begin < dim_; begin += columns_at_once) {
      const std::int64_t width = std::min(columns_at_once, dim_ - begin);
      float dq[columns_at_once] = {};
      for (std::int64_t j = keys; j < keys + visible; ++j) {
        const float slope = weight(o, row, j).slope;
        for (std::int64_t i = 0; i < width; ++i) dq[i] += slope * to_float(o.k[j * dim_ + begin + i]);
      }
      for (std::int64_t i = 0; i < width; ++i) o.dq[row * dim_ + begin + i] = from_float<T>(scale_ * dq[i]);
    }
  }

  void key(const Operands& o, std::int64_t row) const {
    const std::int64_t queries = row / slots_ * tokens_;
    const std::int64_t first = causal_ ? std::max<std::int64_t>(0, row % slots_ - (slots_ - tokens_)) : 0;
    for (std::int64_t begin = 0; begin < dim_; begin += columns_at_once) {
      const std::int64_t width = std::min(columns_at_once, dim_ - begin);
      float dk[columns_at_once] = {};
      float dv[columns_at_once] = {};
      for (std::int64_t t = queries + first; t < queries + tokens_; ++t) {
        const Weight each = weight(o, t, row);
        for (std::int64_t i = 0; i < width; ++i) {
          dk[i] += each.slope * to_float(o.q[t * dim_ + begin + i]);
          dv[i] += each.probability * to_float(o.dy[output_at(t) + begin + i]);
        }
      }
      for (std::int64_t i = 0; i < width; ++i) {
        o.dk[row * dim_ + begin + i] = from_float<T>(scale_ * dk[i]);
        o.dv[row * dim_ + begin + i] = from_float<T>(dv[i]);
      }
    }
  }

  std::int64_t heads_, tokens_, slots_, dim_;
  std::int64_t head_rows_;  // sequences times heads
  bool causal_;
  float scale_;
  Stats* stats_;  // one per query, in scratch memory
};

}  // namespace

std::unique_ptr<OpImplementation> make_sdpa_grad(const ir::OpCall& call, ScratchArena& scratch) {
  return for_float_type(call.output(0).dtype, [&](auto element) {
    return direct_op(call, SdpaGrad<decltype(element)>(call, scratch));
  });
}

}  // namespace graphbench::host
