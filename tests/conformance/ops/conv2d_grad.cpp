// conv2d's gradients: their definitions and cases.
#include "tests/conformance/op_registry.hpp"

namespace graphbench::conformance {
namespace {

// Calls each(y's element, w's element, x's element) for every product that conv2d adds up.
template <typename Each>
void for_each_product(const ir::OpCall& call, const ir::TensorDesc& y, const ir::TensorDesc& w,
                      const ir::TensorDesc& x, const Each& each) {
  const auto padding = given<std::int64_t>(call, "padding", 0),
             stride = given<std::int64_t>(call, "stride", 1);
  for (std::int64_t i = 0; i < y.elements(); ++i) {
    const std::int64_t k = i % y.dims[3], column = i / y.dims[3] % y.dims[2],
                       row = i / y.dims[3] / y.dims[2] % y.dims[1], b = i / y.dims[3] / y.dims[2] / y.dims[1];
    for (std::int64_t j = 0; j < w.elements() / w.dims[0]; ++j) {
      const std::int64_t c = j % w.dims[3], s = j / w.dims[3] % w.dims[2], r = j / w.dims[3] / w.dims[2];
      const std::int64_t at_row = row * stride + r - padding, at_column = column * stride + s - padding;
      if (at_row < 0 || at_row >= x.dims[1] || at_column < 0 || at_column >= x.dims[2]) continue;
      const std::int64_t at = ((b * x.dims[1] + at_row) * x.dims[2] + at_column) * x.dims[3] + c;
      each(static_cast<Index>(i), static_cast<Index>(k * (w.elements() / w.dims[0]) + j),
           static_cast<Index>(at));
    }
  }
}

std::vector<Tensor> input_gradient(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor dx = in.size() == 3 ? in[2] : Tensor(static_cast<Index>(call.output(0).elements()));
  for_each_product(call, call.input(0), call.input(1), call.output(0),
                   [&](Index y, Index w, Index x) { dx[x] += in[0][y] * in[1][w]; });
  return {dx};
}

std::vector<Tensor> weight_gradient(const ir::OpCall& call, std::vector<Tensor>& in) {
  Tensor dw = in.size() == 3 ? in[2] : Tensor(static_cast<Index>(call.output(0).elements()));
  for_each_product(call, call.input(0), call.output(0), call.input(1),
                   [&](Index y, Index w, Index x) { dw[w] += in[0][y] * in[1][x]; });
  return {dw};
}

ir::Shape image(std::int64_t height, std::int64_t width, std::int64_t channels) {
  return {of_batch(), fixed_dim(height), fixed_dim(width), fixed_dim(channels)};
}
ir::Shape filter(std::int64_t window) {
  return {fixed_dim(16), fixed_dim(window), fixed_dim(window), fixed_dim(8)};
}

// A convolution of an image of 9 x 7. `height` and `width` are those of its output.
struct Size {
  std::int64_t window, padding, stride, height, width;
};

OpCase gradient_case(const std::string& kind, const std::string& what, const Size& size, bool sum) {
  const bool of_input = kind == "conv2d_grad_input";
  OpCase c{kind + what, {}, {}, 3};
  c.inputs.push_back({image(size.height, size.width, 16), uniform(0.5)});
  const OpCase::Input x{image(9, 7, 8), uniform(1)}, w{filter(size.window), uniform(0.2)};
  c.inputs.push_back(of_input ? w : x);
  if (sum) c.inputs.push_back(of_input ? x : w);
  c.attributes = {{"padding", size.padding}, {"stride", size.stride}, {"accumulate", std::int64_t{sum}}};
  if (of_input) {
    c.attributes["height"] = std::int64_t{9};
    c.attributes["width"] = std::int64_t{7};
  } else {
    c.attributes["window"] = size.window;
  }
  return c;
}

std::vector<OpCase> cases(const std::string& kind) {
  return {gradient_case(kind, "", {3, 1, 1, 9, 7}, false), gradient_case(kind, "_sum", {3, 1, 1, 9, 7}, true),
          gradient_case(kind, "_strided", {3, 1, 2, 5, 4}, false),
          gradient_case(kind, "_leaves_a_rest", {2, 0, 2, 4, 3}, false),
          gradient_case(kind, "_one", {1, 0, 1, 9, 7}, true)};
}

const OpRegistration registrations[] = {{"conv2d_grad_input", input_gradient, cases("conv2d_grad_input")},
                                        {"conv2d_grad_weight", weight_gradient, cases("conv2d_grad_weight")}};

}  // namespace
}  // namespace graphbench::conformance
