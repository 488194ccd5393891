// The gradient of sdpa by plain loops: over queries for dq, then over keys for dk and dv. Probabilities are
// computed again from q and k.
#include <algorithm>
#include <cmath>

#include "graphs/host/ops/direct_op.hpp"
#include "graphs/host/ops/make_op.hpp"
#include "graphs/host/ops/sums.hpp"

namespace graphbench::host {
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
  // Of a query: the logarithm of the sum of its scores' exponentials, and o·do.
  struct Stats {
    float log_sum;
    float projection;
  };
  struct Operands {
    const T *dy, *q, *k, *v, *o;
    T *dq, *dk, *dv;
  };
  // Of a query and a key: the probability, and the loss's gradient by their score.
  struct Weight {
    float probability;
    float slope;
  };

  float dot(const T* a, const T* b) const {
    return sum_in_lanes(dim_, [=](std::int64_t d) { return to_float(a[d]) * to_float(b[d]); });
  }
  // Where o and do have what q's row `row` belongs to.
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
  Stats* stats_;  // of the queries; scratch memory
};

}  // namespace

std::unique_ptr<OpImplementation> make_sdpa_grad(const ir::OpCall& call, ScratchArena& scratch) {
  return for_float_type(call.output(0).dtype, [&](auto element) {
    return direct_op(call, SdpaGrad<decltype(element)>(call, scratch));
  });
}

}  // namespace graphbench::host
