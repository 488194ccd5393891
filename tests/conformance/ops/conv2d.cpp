// conv2d: its definition and cases.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

std::vector<Tensor> conv2d(const ir::OpCall& call, std::vector<Tensor>& in) {
  const ir::TensorDesc &x = call.input(0), &w = call.input(1), &y = call.output(0);
  const Index height = extent(x, 1), width = extent(x, 2), channels = extent(x, 3);
  const Index filters = extent(w, 0), size = extent(w, 1), out_height = extent(y, 1),
              out_width = extent(y, 2);
  const auto padding = static_cast<Index>(given<std::int64_t>(call, "padding", 0));
  const auto stride = static_cast<Index>(given<std::int64_t>(call, "stride", 1));
  const bool bias = given<std::int64_t>(call, "bias", 0) == 1;
  const bool residual = given<std::int64_t>(call, "residual", 0) == 1;
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
    out[i] = activate(sum, given<std::string>(call, "activation", "none"));
  }
  return {out};
}

OpCase conv_case(std::string name, std::int64_t channels, std::int64_t filters, bool everything) {
  OpCase c{std::move(name), "conv2d", {}, {{"padding", one}}, 3};
  const auto image = [](std::int64_t depth) {
    return ir::Shape{of_batch(), fixed_dim(6), fixed_dim(5), fixed_dim(depth)};
  };
  c.inputs = {{image(channels), uniform(1)},
              {{fixed_dim(filters), fixed_dim(3), fixed_dim(3), fixed_dim(channels)}, uniform(0.2)}};
  if (everything) {
    c.inputs.push_back({{fixed_dim(filters)}, uniform(1)});
    c.inputs.push_back({image(filters), uniform(1)});
    c.attributes = {{"padding", one}, {"bias", one}, {"residual", one}, {"activation", std::string("relu")}};
  }
  return c;
}

std::vector<OpCase> cases() {
  OpCase strided = conv_case("conv2d_strided", 8, 8, false);
  strided.attributes = {{"stride", std::int64_t{2}}, {"padding", one}};
  OpCase pointwise = conv_case("conv2d_pointwise", 8, 8, false);
  pointwise.inputs[1].shape = {fixed_dim(8), fixed_dim(1), fixed_dim(1), fixed_dim(8)};
  pointwise.attributes = {};
  return {conv_case("conv2d_plain", 8, 8, false), conv_case("conv2d_channels_change", 8, 16, false),
          conv_case("conv2d_bias_residual_relu", 8, 8, true), strided, pointwise};
}

const OpRegistration registration{"conv2d", conv2d, cases()};

}  // namespace
}  // namespace graphbench::conformance
