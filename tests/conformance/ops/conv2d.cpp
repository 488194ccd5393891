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
      // A row or column before the image is a negative number, which wraps around to a very large index.
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

struct Size {
  std::int64_t batch, height, width, channels, filters, window = 3, padding = 1, stride = 1;
};

OpCase conv_case(std::string name, const Size& size, const std::string& with = "") {
  const auto has = [&](const char* word) { return with.find(word) != std::string::npos; };
  const auto image = [&](std::int64_t stride, std::int64_t depth) {
    const auto extent = [&](std::int64_t of) {
      return fixed_dim(stride == 0 ? of : (of + 2 * size.padding - size.window) / stride + 1);
    };
    return OpCase::Input{{of_batch(), extent(size.height), extent(size.width), fixed_dim(depth)}, uniform(1)};
  };
  OpCase c{std::move(name), {}, {{"padding", size.padding}, {"stride", size.stride}}, size.batch};
  const std::int64_t window = size.window;
  c.inputs = {image(0, size.channels),
              {{fixed_dim(size.filters), fixed_dim(window), fixed_dim(window), fixed_dim(size.channels)},
               uniform(0.2)}};
  if (has("bias")) c.inputs.push_back({{fixed_dim(size.filters)}, uniform(1)});
  if (has("residual")) c.inputs.push_back(image(size.stride, size.filters));
  for (const char* each : {"bias", "residual"}) {
    if (has(each)) c.attributes[each] = one;
  }
  if (has("relu")) c.attributes["activation"] = std::string("relu");
  return c;
}

std::vector<OpCase> cases() {
  return {conv_case("conv2d_plain", {3, 6, 5, 8, 8}),
          conv_case("conv2d_channels_change", {3, 6, 5, 8, 16}),
          conv_case("conv2d_bias_residual_relu", {3, 6, 5, 8, 8}, "bias residual relu"),
          conv_case("conv2d_strided", {3, 6, 5, 8, 8, 3, 1, 2}),
          conv_case("conv2d_pointwise", {3, 6, 5, 8, 8, 1, 0}),
          conv_case("conv2d_64_channels", {2, 14, 14, 64, 64}, "bias residual relu"),
          conv_case("conv2d_bias_relu", {3, 9, 9, 16, 32}, "bias relu"),
          conv_case("conv2d_strided_residual_relu", {2, 11, 11, 16, 24, 3, 0, 2}, "residual relu"),
          conv_case("conv2d_bias_residual", {2, 7, 7, 8, 16}, "bias residual"),
          conv_case("conv2d_many_images", {40, 56, 56, 64, 8}, "bias residual relu")};
}

const OpRegistration registration{"conv2d", conv2d, cases()};

}  // namespace
}  // namespace graphbench::conformance
