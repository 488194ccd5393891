// Plugins whose op has a gradient: one that can be captured, one that runs on the host, one of the wrong
// shape; and one whose workload puts hooks on gradients. The op is y = a * b in fp32 on the host device.
#include "tests/integration/plugins/test_plugin.hpp"

namespace {

using namespace test_plugin;

std::size_t count_of(const gb_tensor& tensor) {
  return static_cast<std::size_t>(tensor.dims[0] * tensor.dims[1]);
}

int run_product(const gb_op_call* call, void* const* operands, void*) {
  for (std::size_t i = 0; i < count_of(call->operands[0]); ++i)
    static_cast<float*>(operands[2])[i] =
        static_cast<const float*>(operands[0])[i] * static_cast<const float*>(operands[1])[i];
  return 0;
}

// Infers the outputs da and db from the inputs a, b, y and dy.
std::int32_t infer_gradient(const gb_symbolic* inputs, std::int32_t, const gb_attr*, std::int32_t,
                            gb_inferred* outputs, char*, std::size_t, void*) {
  infer_like_input(inputs, outputs);
  infer_like_input(inputs, outputs + 1);
  if constexpr (kCase == "misshapen_gradient") outputs[1].dims[1].fixed += 1;
  return 2;
}

int run_gradient(const gb_op_call* call, void* const* operands, void*) {
  const auto* const dy = static_cast<const float*>(operands[3]);
  for (std::size_t i = 0; i < count_of(call->operands[0]); ++i) {
    static_cast<float*>(operands[4])[i] = dy[i] * static_cast<const float*>(operands[1])[i];
    static_cast<float*>(operands[5])[i] = dy[i] * static_cast<const float*>(operands[0])[i];
  }
  return 0;
}

int run_halve(const gb_op_call* call, void* const* operands, void*) {
  for (std::size_t i = 0; i < count_of(call->operands[0]); ++i)
    static_cast<float*>(operands[1])[i] = static_cast<const float*>(operands[0])[i] / 2;
  return 0;
}

constexpr gb_op product() {
  gb_op op = graphbench::test::foreign_op("product", graphbench::test::infer_same, run_product);
  op.gradient = "product_grad";
  op.gradient_inputs = 3;
  return op;
}

constexpr gb_op kProduct = product();
constexpr gb_op kGradient = graphbench::test::foreign_op("product_grad", infer_gradient, run_gradient,
                                                         kCase == "host_gradient" ? GB_OP_HOST : 0);
constexpr gb_op kHalve = graphbench::test::foreign_op("halve", graphbench::test::infer_same, run_halve);

// Two layers of x -> w2 · ((w0 · x) * (w1 · x)), all of the same width.
int build(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void*) {
  const std::int64_t width = request->options[0].value;
  const auto dtype = static_cast<gb_dtype>(request->dtype);
  const gb_dim rows[] = {{1, 0}, {0, width}};
  const gb_dim square[] = {{0, width}, {0, width}};
  std::int32_t x = api->value(builder, GB_INPUT, "x", dtype, rows, 2, gb_init{GB_UNIFORM, 0, -1.0, 1.0});
  if (x < 0) return 1;
  for (const char layer : {'0', '1'}) {
    std::int32_t weights[3], values[2];
    char name[] = "layerN.wN";
    name[5] = layer;
    for (int i = 0; i < 3; ++i) {
      name[8] = static_cast<char>('0' + i);
      weights[i] = api->value(builder, GB_WEIGHT, name, dtype, square, 2, gb_init{GB_UNIFORM, 0, -0.4, 0.4});
      if (weights[i] < 0) return 1;
    }
    const auto linear = [&](std::int32_t input, int weight, const char* which, std::int32_t* output) {
      char op_name[] = "layerN.mN";
      op_name[5] = layer;
      op_name[8] = *which;
      const std::int32_t inputs[] = {input, weights[weight]};
      return api->op(builder, "linear", op_name, inputs, 2, nullptr, 0, output, 1);
    };
    char product_name[] = "layerN.product";
    product_name[5] = layer;
    if (linear(x, 0, "0", &values[0]) < 0 || linear(x, 1, "1", &values[1]) < 0) return 1;
    if (api->op(builder, "product", product_name, values, 2, nullptr, 0, &x, 1) < 0) return 1;
    if (linear(x, 2, "2", &x) < 0) return 1;
    if (kCase != "hooks") continue;
    char hook_name[] = "layerN.hookN";
    hook_name[5] = layer;
    for (const gb_hook_place place : {GB_HOOK_PRE, GB_HOOK_POST_ACCUMULATE}) {
      hook_name[11] = static_cast<char>('0' + place);
      if (api->hook(builder, weights[0], place, "halve", hook_name, nullptr, 0) < 0) return 1;
    }
  }
  return api->mark_output(builder, x) < 0 ? 1 : 0;
}

constexpr const gb_op* kOps[] = {&kProduct, &kGradient, &kHalve};
constexpr gb_plugin kPlugin = plugin_of<build>(kOps);

}  // namespace

GRAPHBENCH_TEST_OPENS(kPlugin)
