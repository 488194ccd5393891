// Defines ops with gradients as a plugin would, and builds programs of them.
#include <cstring>

#include "tests/conformance/op_registry.hpp"
#include "tests/conformance/plugin_op.hpp"
#include "tests/conformance/programs.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

// The infer function of a gradient op: its two outputs, the gradients of a and b, are like inputs 0 and 1.
std::int32_t infer_two(const gb_symbolic* inputs, std::int32_t count, const gb_attr* attrs,
                       std::int32_t attr_count, gb_inferred* outputs, char* error, std::size_t size,
                       void* user) {
  for (int i = 0; i < 2; ++i)
    infer_same(inputs + i, count, attrs, attr_count, outputs + i, error, size, user);
  return 2;
}

std::size_t elements_of(const gb_tensor& tensor) {
  return static_cast<std::size_t>(tensor.dims[0] * tensor.dims[1]);
}

// Copies the last two inputs, swapped, to the two outputs; if `user` points to true, wrongly the first two.
int swap(const gb_op_call* call, void* const* operands, void* stream, void* user) {
  const std::size_t bytes = elements_of(call->operands[0]) * (call->operands[0].dtype == GB_FP32 ? 4 : 2);
  const std::int32_t last = call->input_count + 1;
  const bool wrong = user != nullptr && *static_cast<const bool*>(user);
  for (std::int32_t i = 0; i < 2; ++i) {
    void* const from = operands[wrong ? i : last - 2 - i];
    if (call->place == GB_ON_HOST) {
      std::memcpy(operands[last - 1 + i], from, bytes);
    } else if (const int status = copy_bytes(operands[last - 1 + i], from, bytes, stream); status != 0) {
      return status;
    }
  }
  return 0;
}
int swap_on_host(const gb_op_call* call, void* const* operands, void* user) {
  return swap(call, operands, nullptr, user);
}

int multiply(const gb_op_call* call, void* const* operands, void*) {
  const auto* a = static_cast<const float*>(operands[0]);
  const auto* b = static_cast<const float*>(operands[1]);
  for (std::size_t i = 0; i < elements_of(call->operands[0]); ++i)
    static_cast<float*>(operands[2])[i] = a[i] * b[i];
  return 0;
}
int multiply_backward(const gb_op_call* call, void* const* operands, void* user) {
  const bool wrong = *static_cast<const bool*>(user);
  const auto* a = static_cast<const float*>(operands[wrong ? 1 : 0]);
  const auto* b = static_cast<const float*>(operands[wrong ? 0 : 1]);
  const auto* dy = static_cast<const float*>(operands[3]);
  for (std::size_t i = 0; i < elements_of(call->operands[0]); ++i) {
    static_cast<float*>(operands[4])[i] = dy[i] * b[i];
    static_cast<float*>(operands[5])[i] = dy[i] * a[i];
  }
  return 0;
}

// The catalog whose ops have this kind of gradient. It lives until the process ends.
ir::OpCatalog& catalog_of(Gradient gradient) {
  static const bool yes = true, no = false;
  static ir::OpCatalog catalogs[3];
  ir::OpCatalog& catalog = catalogs[static_cast<std::size_t>(gradient)];
  if (catalog.find("test_swap") != nullptr) return catalog;
  const std::uint32_t flags = gradient == Gradient::uncapturable ? GB_OP_NOT_CAPTURABLE : 0;
  gb_op op = test::foreign_op("test_swap_grad", infer_two, swap_on_host, flags);
  op.launch_cuda = swap;
  op.user = const_cast<bool*>(gradient == Gradient::wrong ? &yes : &no);
  catalog.add(abi::foreign_definition(op));
  op.flags = 0;
  op.kind = "test_swap";
  op.user = nullptr;
  op.gradient = "test_swap_grad";
  op.gradient_inputs = 3;
  catalog.add(abi::foreign_definition(op));
  op = test::foreign_op("test_product", infer_same, multiply, GB_OP_HOST);
  op.gradient = "test_product_grad";
  op.gradient_inputs = 3;
  catalog.add(abi::foreign_definition(op));
  op = test::foreign_op("test_product_grad", infer_two, multiply_backward, GB_OP_HOST);
  op.user = const_cast<bool*>(gradient == Gradient::wrong ? &yes : &no);
  catalog.add(abi::foreign_definition(op));
  return catalog;
}

// The ops' definitions in fp64. They have no cases of their own: tests run them only in programs.
std::vector<Tensor> swap64(const ir::OpCall&, std::vector<Tensor>& in) {
  return {in[in.size() - 1], in[in.size() - 2]};
}
std::vector<Tensor> multiply64(const ir::OpCall&, std::vector<Tensor>& in) {
  Tensor y = in[0];
  for (Index i = 0; i < y.size(); ++i) y[i] *= in[1][i];
  return {y};
}
std::vector<Tensor> multiply_backward64(const ir::OpCall&, std::vector<Tensor>& in) {
  std::vector<Tensor> gradients{in[1], in[0]};
  for (Tensor& gradient : gradients) {
    for (Index i = 0; i < gradient.size(); ++i) gradient[i] *= in[3][i];
  }
  return gradients;
}
const OpRegistration registrations[] = {{"test_swap", swap64, {}},
                                        {"test_swap_grad", swap64, {}},
                                        {"test_product", multiply64, {}},
                                        {"test_product_grad", multiply_backward64, {}}};

// Builds a training step. Ops' names begin with the layer, so that `callables` makes graphs of each layer.
ir::Program trained(const char* kind, ir::DType dtype, Gradient gradient, const ir::TrainingOptions& options,
                    bool hooks = false) {
  const ir::OpCatalog& catalog = catalog_of(gradient);
  test::SmallBuilder b(catalog, dtype, kind);
  ir::ValueId x = b.input("x", test::batched({6}), uniform(1));
  for (const std::string layer : {"layer0.", "layer1."}) {
    ir::ValueId w[3];
    for (std::size_t i = 0; i < 3; ++i)
      w[i] = b.weight(layer + "w" + std::to_string(i), test::fixed({6, 6}), uniform(0.7));
    const ir::ValueId a = b.one("linear", layer + "a", {x, w[0]});
    const std::vector<ir::ValueId> y =
        b.op(kind, layer + "op", {a, b.one("linear", layer + "b", {x, w[1]})}, {});
    x = b.one("linear", layer + "out", {y[0], w[2], y.back()}, {{"residual", one}});
    if (!hooks) continue;
    using enum ir::HookPlace;
    b.hook({w[0], pre, "gelu_tanh", layer + "pre", {}});
    b.hook({w[0], post_accumulate, "softmax", layer + "post", {}});
    b.hook({w[2], post_accumulate, "gelu_tanh", layer + "only_post", {}});
  }
  b.split_at({kind});
  return ir::differentiate(b.ending_in(x), catalog, options);
}

}  // namespace

ir::Program swapped(ir::DType dtype, Gradient gradient, const ir::TrainingOptions& options) {
  return trained("test_swap", dtype, gradient, options);
}

ir::Program multiplied(Gradient gradient, const ir::TrainingOptions& options) {
  return trained("test_product", ir::DType::fp32, gradient, options);
}

std::vector<NamedProgram> plugin_training_programs() {
  std::vector<NamedProgram> programs;
  const auto add = [&](const char* name, bool hooks, const ir::TrainingOptions& options) {
    programs.push_back({name, [=](const ir::OpCatalog&, ir::DType dtype) {
                          return trained("test_swap", dtype, Gradient::right, options, hooks);
                        }});
  };
  using enum ir::Optimizer;
  using enum ir::Backward;
  for (const bool hooks : {false, true}) {
    add(hooks ? "hooks" : "plugin", hooks, {.optimizer = adamw});
    add(hooks ? "hooks_apart" : "plugin_apart", hooks,
        {.optimizer = sgd, .micro_batches = 2, .backward = apart});
    add(hooks ? "hooks_callables" : "plugin_callables", hooks,
        {.optimizer = adamw, .accumulate = ir::Accumulate::end, .backward = callables});
    add(hooks ? "hooks_backward" : "plugin_backward", hooks,
        {.optimizer = sgd,
         .micro_batches = 2,
         .backward = callables,
         .optimizer_in = ir::OptimizerIn::backward});
  }
  return programs;
}

}  // namespace graphbench::conformance
