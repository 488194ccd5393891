// The definitions of OPS.md as loops. Speed does not matter here, being obvious does.
#include "tests/conformance/reference.hpp"

#include <cmath>
#include <limits>

#include "graphs/ir/error.hpp"

namespace graphbench::conformance {
namespace {

using Index = std::size_t;

Index extent(const ir::TensorDesc& desc, Index axis) {
  return static_cast<Index>(desc.dims.at(axis));
}

double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double activate(double x, const std::string& activation) {
  if (activation == "relu") return x > 0 ? x : 0;
  if (activation == "gelu_tanh") return gelu_tanh(x);
  return x;
}

// Softmax of `count` values in place.
void softmax(double* values, Index count) {
  double largest = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < count; ++i) largest = std::max(largest, values[i]);
  double sum = 0;
  for (Index i = 0; i < count; ++i) sum += values[i] = std::exp(values[i] - largest);
  for (Index i = 0; i < count; ++i) values[i] /= sum;
}

Tensor linear(const ir::OpCall& call, const std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), inner = extent(call.input(0), 1),
              columns = extent(call.input(1), 0);
  const bool bias = ir::integer_attribute(*call.op, "bias", 0) == 1;
  const bool residual = ir::integer_attribute(*call.op, "residual", 0) == 1;
  const std::string activation = ir::text_attribute(*call.op, "activation", "none");
  Tensor y(rows * columns);
  for (Index r = 0; r < rows; ++r) {
    for (Index n = 0; n < columns; ++n) {
      double sum = bias ? in[2][n] : 0;
      for (Index k = 0; k < inner; ++k) sum += in[0][r * inner + k] * in[1][n * inner + k];
      y[r * columns + n] = activate(sum, activation) + (residual ? in[bias ? 3 : 2][r * columns + n] : 0);
    }
  }
  return y;
}

Tensor conv2d(const ir::OpCall& call, const std::vector<Tensor>& in) {
  const ir::TensorDesc &x = call.input(0), &w = call.input(1), &y = call.output(0);
  const Index height = extent(x, 1), width = extent(x, 2), channels = extent(x, 3);
  const Index filters = extent(w, 0), size = extent(w, 1), out_height = extent(y, 1),
              out_width = extent(y, 2);
  const auto padding = static_cast<Index>(ir::integer_attribute(*call.op, "padding", 0));
  const auto stride = static_cast<Index>(ir::integer_attribute(*call.op, "stride", 1));
  const bool bias = ir::integer_attribute(*call.op, "bias", 0) == 1;
  const bool residual = ir::integer_attribute(*call.op, "residual", 0) == 1;
  Tensor out(static_cast<Index>(y.elements()));
  for (Index i = 0; i < out.size(); ++i) {
    const Index k = i % filters, column = i / filters % out_width, row = i / filters / out_width % out_height;
    const Index image = i / filters / out_width / out_height;
    double sum = bias ? in[2][k] : 0;
    for (Index tap = 0; tap < size * size; ++tap) {
      // Unsigned wrap-around makes what lies before the image lie far beyond it.
      const Index source_row = row * stride + tap / size - padding,
                  source_column = column * stride + tap % size - padding;
      if (source_row >= height || source_column >= width) continue;
      for (Index c = 0; c < channels; ++c) {
        sum += in[0][((image * height + source_row) * width + source_column) * channels + c] *
               in[1][(k * size * size + tap) * channels + c];
      }
    }
    if (residual) sum += in[bias ? 3 : 2][i];
    out[i] = activate(sum, ir::text_attribute(*call.op, "activation", "none"));
  }
  return out;
}

Tensor sdpa(const ir::OpCall& call, const std::vector<Tensor>& in) {
  const ir::TensorDesc& q = call.input(0);
  const Index batch = extent(q, 0), heads = extent(q, 1), tokens = extent(q, 2), dim = extent(q, 3);
  const Index slots = extent(call.input(1), 2);
  const bool causal = ir::integer_attribute(*call.op, "causal", 0) == 1;
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
  return out;
}

// Half-split rotation of one head's vector by its position.
void rotate(const double* from, double position, double theta, double* to, Index dim) {
  for (Index i = 0; i < dim / 2; ++i) {
    const double angle = position * std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
    to[i] = from[i] * std::cos(angle) - from[i + dim / 2] * std::sin(angle);
    to[i + dim / 2] = from[i + dim / 2] * std::cos(angle) + from[i] * std::sin(angle);
  }
}

Tensor rope_kv_append(const ir::OpCall& call, std::vector<Tensor>& in) {
  const ir::TensorDesc& q = call.output(0);
  const Index heads = extent(q, 1), tokens = extent(q, 2), dim = extent(q, 3),
              slots = extent(call.input(2), 2);
  const double theta = ir::real_attribute(*call.op, "theta", 10000);
  Tensor out(static_cast<Index>(q.elements()));
  for (Index row = 0; row < extent(call.input(0), 0); ++row) {
    const Index b = row / tokens, t = row % tokens;
    const Index slot = static_cast<Index>(in[1][b]) + t;
    for (Index h = 0; h < heads; ++h) {
      const double* from = &in[0][row * 3 * heads * dim + h * dim];
      const Index kept = ((b * heads + h) * slots + slot) * dim;
      rotate(from, static_cast<double>(slot), theta, &out[((b * heads + h) * tokens + t) * dim], dim);
      rotate(from + heads * dim, static_cast<double>(slot), theta, &in[2][kept], dim);
      for (Index d = 0; d < dim; ++d) in[3][kept + d] = from[2 * heads * dim + d];
    }
  }
  return out;
}

Tensor rmsnorm(const ir::OpCall& call, const std::vector<Tensor>& in) {
  const Index rows = extent(call.input(0), 0), columns = extent(call.input(0), 1);
  const double epsilon = ir::real_attribute(*call.op, "eps", 1e-5);
  Tensor y(rows * columns);
  for (Index r = 0; r < rows; ++r) {
    double squares = 0;
    for (Index c = 0; c < columns; ++c) squares += in[0][r * columns + c] * in[0][r * columns + c];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + epsilon);
    for (Index c = 0; c < columns; ++c) y[r * columns + c] = in[0][r * columns + c] * scale * in[1][c];
  }
  return y;
}

}  // namespace

std::vector<Tensor> reference(const ir::OpCall& call, std::vector<Tensor>& in) {
  const std::string& kind = call.op->kind;
  if (kind == "linear") return {linear(call, in)};
  if (kind == "conv2d") return {conv2d(call, in)};
  if (kind == "sdpa") return {sdpa(call, in)};
  if (kind == "rope_kv_append") return {rope_kv_append(call, in)};
  if (kind == "rmsnorm") return {rmsnorm(call, in)};
  Tensor out = in[0];
  if (kind == "softmax") {
    const Index columns = extent(call.input(0), 1);
    for (Index at = 0; at < out.size(); at += columns) softmax(&out[at], columns);
    return {out};
  }
  for (Index i = 0; i < out.size(); ++i) {
    if (kind == "add") {
      out[i] += in[1][i];
    } else if (kind == "relu" || kind == "gelu_tanh") {
      out[i] = activate(out[i], kind);
    } else {
      throw Error(ErrorCode::internal, "reference: no op of kind " + kind);
    }
  }
  return {out};
}

}  // namespace graphbench::conformance
