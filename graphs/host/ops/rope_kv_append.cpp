// rope_kv_append rotates q and k by their positions, outputs q, and appends k and v to the caches. rope
// starts at position 0 and outputs k and v too. rope_grad rotates by the negated angles.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "graphs/base/error.hpp"
#include "graphs/host/ops/direct_op.hpp"

namespace graphbench::host {
namespace {

struct RopeExtents {
  std::int64_t batch, heads, tokens, slots, head_dim;
};

// For each slot, the cosines of its head_dim / 2 angles, then their sines. Computed when the op is prepared,
// because this fp64 computation costs more than the rest of the op.
std::vector<float> angle_table(const RopeExtents& e, double theta) {
  std::vector<float> table(static_cast<std::size_t>(e.slots * e.head_dim));
  const std::int64_t half = e.head_dim / 2;
  for (std::int64_t p = 0; p < e.slots; ++p) {
    for (std::int64_t i = 0; i < half; ++i) {
      const double frequency =
          std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(e.head_dim));
      const double angle = static_cast<double>(p) * frequency;
      table[static_cast<std::size_t>(p * e.head_dim + i)] = static_cast<float>(std::cos(angle));
      table[static_cast<std::size_t>(p * e.head_dim + half + i)] = static_cast<float>(std::sin(angle));
    }
  }
  return table;
}

template <typename T>
void rotate(const T* from, const float* angles, T* to, std::int64_t head_dim, float direction = 1) {
  const std::int64_t half = head_dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const float low = to_float(from[i]);
    const float high = to_float(from[i + half]);
    const float cosine = angles[i];
    const float sine = direction * angles[i + half];
    to[i] = from_float<T>(low * cosine - high * sine);
    to[i + half] = from_float<T>(high * cosine + low * sine);
  }
}

// Computes rope_kv_append and rope. For rope, the caches are outputs with one slot per token.
template <typename T>
class RopeKvAppend {
 public:
  RopeKvAppend(const ir::OpCall& call, const RopeExtents& extents, std::vector<float> angles)
      : name_(call.op->name),
        apart_(call.input_count == 6),
        e_(extents),
        angles_(std::move(angles)),
        starts_(call.input_count == 1 ? static_cast<std::size_t>(extents.batch) : 0) {}

  void operator()(void* const* operands) const {
    const bool appends = starts_.empty();
    const auto* positions = appends ? static_cast<const std::int32_t*>(operands[1]) : starts_.data();
    T* k_cache = static_cast<T*>(operands[2]);
    T* v_cache = static_cast<T*>(operands[3]);
    T* q_out = static_cast<T*>(operands[appends ? (apart_ ? 6 : 4) : 1]);
    check(positions);
    const std::int64_t width = e_.heads * e_.head_dim;
    const std::int64_t stride = apart_ ? width : 3 * width;
    const T* q_rows = static_cast<const T*>(operands[0]);
    const T* k_rows = apart_ ? static_cast<const T*>(operands[4]) : q_rows + width;
    const T* v_rows = apart_ ? static_cast<const T*>(operands[5]) : q_rows + 2 * width;
    parallel_for(e_.batch * e_.tokens, 1 + 4096 / width, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) {
        const std::int64_t b = r / e_.tokens;
        const std::int64_t t = r % e_.tokens;
        for (std::int64_t h = 0; h < e_.heads; ++h) {
          const std::int64_t from = r * stride + h * e_.head_dim;
          const bool is_padding = positions[b] < 0;
          const std::int64_t slot = is_padding ? 0 : positions[b] + t;
          const float* angles = angles_.data() + slot * e_.head_dim;
          const std::int64_t sequence_head = b * e_.heads + h;
          rotate(q_rows + from, angles, q_out + (sequence_head * e_.tokens + t) * e_.head_dim, e_.head_dim);
          if (is_padding) continue;
          const std::int64_t kept = (sequence_head * e_.slots + slot) * e_.head_dim;
          rotate(k_rows + from, angles, k_cache + kept, e_.head_dim);
          std::copy_n(v_rows + from, e_.head_dim, v_cache + kept);
        }
      }
    });
  }

 private:
  void check(const std::int32_t* positions) const {
    for (std::int64_t b = 0; b < e_.batch; ++b) {
      if (positions[b] + e_.tokens <= e_.slots) continue;
      throw Error(ErrorCode::invalid_argument,
                  "run " + name_ + ": sequence " + std::to_string(b) + " has " + std::to_string(e_.tokens) +
                      " new tokens from position " + std::to_string(positions[b]) +
                      " on, but the cache has only " + std::to_string(e_.slots) + " slots");
    }
  }

  std::string name_;
  bool apart_;  // true: q, k and v are three operands; false: each row of operand 0 has all three
  RopeExtents e_;
  std::vector<float> angles_;
  std::vector<std::int32_t> starts_;  // rope's positions, all zero; empty for rope_kv_append
};

template <typename T>
class RopeGrad {
 public:
  RopeGrad(const ir::OpCall&, const RopeExtents& extents, std::vector<float> angles)
      : e_(extents), angles_(std::move(angles)) {}

  void operator()(void* const* operands) const {
    const std::int64_t width = e_.heads * e_.head_dim;
    parallel_for(e_.batch * e_.tokens, 1 + 4096 / width, [=, this](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) {
        const std::int64_t t = r % e_.tokens;
        const float* angles = angles_.data() + t * e_.head_dim;
        for (std::int64_t h = 0; h < e_.heads; ++h) {
          const std::int64_t from = ((r / e_.tokens * e_.heads + h) * e_.tokens + t) * e_.head_dim;
          T* to = static_cast<T*>(operands[3]) + r * 3 * width + h * e_.head_dim;
          for (const int part : {0, 1})
            rotate(static_cast<const T*>(operands[part]) + from, angles, to + part * width, e_.head_dim, -1);
          std::copy_n(static_cast<const T*>(operands[2]) + from, e_.head_dim, to + 2 * width);
        }
      }
    });
  }

 private:
  RopeExtents e_;
  std::vector<float> angles_;
};

// `heads` is a tensor of [B, H, T, D]; the angle table has `slots` positions.
template <template <typename> typename Rope>
std::unique_ptr<OpImplementation> make_rope(const ir::OpCall& call, ScratchArena& scratch,
                                            const ir::TensorDesc& heads, std::int64_t slots) {
  const auto& q = heads.dims;
  const RopeExtents extents{q.at(0), q.at(1), q.at(2), slots, q.at(3)};
  std::vector<float> angles = angle_table(extents, ir::real_attribute(*call.op, "theta"));
  scratch.count(angles.size() * sizeof(float));
  return for_float_type(heads.dtype, [&](auto element) {
    return direct_op(call, Rope<decltype(element)>(call, extents, std::move(angles)));
  });
}

}  // namespace

std::unique_ptr<OpImplementation> make_rope_kv_append(const ir::OpCall& call, ScratchArena& scratch) {
  return make_rope<RopeKvAppend>(call, scratch, call.output(0), call.input(2).dims.at(2));
}
std::unique_ptr<OpImplementation> make_rope(const ir::OpCall& call, ScratchArena& scratch) {
  return make_rope<RopeKvAppend>(call, scratch, call.output(0), call.output(0).dims.at(2));
}
std::unique_ptr<OpImplementation> make_rope_grad(const ir::OpCall& call, ScratchArena& scratch) {
  return make_rope<RopeGrad>(call, scratch, call.input(0), call.input(0).dims.at(2));
}

}  // namespace graphbench::host
