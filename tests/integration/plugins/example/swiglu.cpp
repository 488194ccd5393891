// A complete plugin: one op kind of its own (`swiglu`) with its gradient, and one workload that uses it
// between two built-in ones. Everything graphbench learns about the plugin is in the record at the end.
#include "swiglu.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

// Called while a program is built. Says which inputs the op takes and what comes out, in terms of the
// batch: dimensions are `per_batch * batch + fixed`, so the row count is copied whatever the batch is.
std::int32_t infer(const gb_symbolic* inputs, std::int32_t input_count, const gb_attr*, std::int32_t,
                   gb_inferred* outputs, char* error, std::size_t error_size, void*) {
  if (input_count != 1 || inputs[0].rank != 2) {
    std::snprintf(error, error_size, "takes one input of rank 2");
    return -1;
  }
  const gb_dim columns = inputs[0].dims[1];
  if (columns.per_batch != 0 || columns.fixed % 2 != 0) {
    std::snprintf(error, error_size,
                  "the input's columns must be an even number that the batch does not change");
    return -1;
  }
  if (inputs[0].dtype != GB_FP32 && inputs[0].dtype != GB_BF16) {
    std::snprintf(error, error_size, "supports fp32 and bf16: choose --dtype fp32 or --dtype bf16");
    return -1;
  }
  outputs[0].dtype = inputs[0].dtype;
  outputs[0].rank = 2;
  outputs[0].dims[0] = inputs[0].dims[0];
  outputs[0].dims[1] = gb_dim{0, columns.fixed / 2};
  return 1;
}

// The same for the gradient: its inputs are x, y and dy, and its output dx is like x.
std::int32_t infer_gradient(const gb_symbolic* inputs, std::int32_t input_count, const gb_attr*, std::int32_t,
                            gb_inferred* outputs, char* error, std::size_t error_size, void*) {
  if (input_count != 3 || inputs[0].rank != 2) {
    std::snprintf(error, error_size, "takes x, y and the gradient of y");
    return -1;
  }
  outputs[0].dtype = inputs[0].dtype;
  outputs[0].rank = 2;
  outputs[0].dims[0] = inputs[0].dims[0];
  outputs[0].dims[1] = inputs[0].dims[1];
  return 1;
}

float from_bf16(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

// Rounds to nearest even, as the CUDA kernel's conversion does. (No NaN reaches this op.)
std::uint16_t to_bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0x7FFFu + ((bits >> 16) & 1u);
  return static_cast<std::uint16_t>(bits >> 16);
}

float load(const float* x, std::int64_t i) {
  return x[i];
}
float load(const std::uint16_t* x, std::int64_t i) {
  return from_bf16(x[i]);
}
void store(float* y, std::int64_t i, float value) {
  y[i] = value;
}
void store(std::uint16_t* y, std::int64_t i, float value) {
  y[i] = to_bf16(value);
}

template <typename Element>
void swiglu(const Element* x, Element* y, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const float gate = load(x, r * 2 * columns + c);
      const float up = load(x, r * 2 * columns + columns + c);
      store(y, r * columns + c, gate / (1.0f + std::exp(-gate)) * up);
    }
  }
}

// With s = 1 / (1 + exp(-gate)): d gate = dy * up * s * (1 + gate * (1 - s)), d up = dy * gate * s.
template <typename Element>
void swiglu_gradient(const Element* x, const Element* dy, Element* dx, std::int64_t rows,
                     std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t at = r * 2 * columns + c;
      const float gate = load(x, at);
      const float up = load(x, at + columns);
      const float s = 1.0f / (1.0f + std::exp(-gate));
      const float slope = load(dy, r * columns + c);
      store(dx, at, slope * up * s * (1.0f + gate * (1.0f - s)));
      store(dx, at + columns, slope * gate * s);
    }
  }
}

}  // namespace

// Runs the op to its end on the calling thread. By now the shapes are numbers: call->operands holds
// one tensor per operand, inputs first. Returning non-zero fails the cell, and only the cell.
extern "C" int swiglu_run_host(const gb_op_call* call, void* const* operands, void*) {
  const gb_tensor& y = call->operands[1];
  if (y.dtype == GB_FP32) {
    swiglu(static_cast<const float*>(operands[0]), static_cast<float*>(operands[1]), y.dims[0], y.dims[1]);
  } else {
    swiglu(static_cast<const std::uint16_t*>(operands[0]), static_cast<std::uint16_t*>(operands[1]),
           y.dims[0], y.dims[1]);
  }
  return 0;
}

extern "C" int swiglu_gradient_run_host(const gb_op_call* call, void* const* operands, void*) {
  const gb_tensor& dy = call->operands[2];
  if (dy.dtype == GB_FP32) {
    swiglu_gradient(static_cast<const float*>(operands[0]), static_cast<const float*>(operands[2]),
                    static_cast<float*>(operands[3]), dy.dims[0], dy.dims[1]);
  } else {
    swiglu_gradient(static_cast<const std::uint16_t*>(operands[0]),
                    static_cast<const std::uint16_t*>(operands[2]), static_cast<std::uint16_t*>(operands[3]),
                    dy.dims[0], dy.dims[1]);
  }
  return 0;
}

namespace {

#if defined(SWIGLU_HAVE_CUDA)
constexpr auto kLaunchCuda = &swiglu_launch_cuda;
constexpr auto kGradientLaunchCuda = &swiglu_gradient_launch_cuda;
constexpr auto kPrepare = &swiglu_prepare;
#else
constexpr decltype(gb_op::launch_cuda) kLaunchCuda = nullptr;  // refused with a clear reason on cuda
constexpr decltype(gb_op::launch_cuda) kGradientLaunchCuda = nullptr;
constexpr decltype(gb_op::prepare) kPrepare = nullptr;
#endif

const gb_op kSwiglu = {
    sizeof(gb_op),    // struct_size: lets either side be newer than the other
    0,                // flags: it may be captured and does not need the host
    "swiglu",         // kind
    0,                // mutated_inputs: none
    infer,            // shapes and dtypes, when a program is built
    kLaunchCuda,      // on the cuda device
    swiglu_run_host,  // on the host device
    nullptr,          // user: handed back to every function
    kPrepare,         // before the first launch
    nullptr,          // workspace_bytes: it needs no scratch memory
    nullptr,          // release: prepare left nothing to give back
    "swiglu_grad",    // gradient: the op below
    1,                // gradient_inputs: it computes that of input 0, x
};

// Used under `--pass training`. Its inputs are x, y and the gradient of y; its output is the gradient of x.
const gb_op kSwigluGradient = {
    sizeof(gb_op),
    0,
    "swiglu_grad",
    0,
    infer_gradient,
    kGradientLaunchCuda,
    swiglu_gradient_run_host,
    nullptr,
    kPrepare,
    nullptr,
    nullptr,
    nullptr,
    0,
};

// y = x + Wdown · swiglu(Wup · x), with two weights per layer. A builder function returns a negative number
// if graphbench refuses the call. build() then returns non-zero at once, and graphbench says why.
int build(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void*) {
  // The value of every declared option comes along, in the order in which the workload lists them.
  const std::int64_t layers = request->options[0].value;
  const std::int64_t hidden = request->options[1].value;
  const std::int64_t ffn = request->options[2].value;
  const auto dtype = static_cast<gb_dtype>(request->dtype);

  // Options that are valid one by one may be wrong together. The message names an option and a valid value.
  if (ffn < hidden) {
    const std::string why = "option ffn=" + std::to_string(ffn) +
                            " is below hidden=" + std::to_string(hidden) + ": set ffn to at least hidden";
    api->fail(builder, why.c_str());
    return 1;
  }

  const gb_dim x_dims[] = {{1, 0}, {0, hidden}};  // [batch, hidden]
  const gb_dim up_dims[] = {{0, 2 * ffn}, {0, hidden}};
  const gb_dim down_dims[] = {{0, hidden}, {0, ffn}};
  const double up_bound = std::sqrt(3.0 / static_cast<double>(hidden));
  const double down_bound = std::sqrt(3.0 / static_cast<double>(ffn * layers));
  const gb_attr residual = {"residual", GB_ATTR_INT, 0, 1, 0.0, nullptr};

  std::int32_t x = api->value(builder, GB_INPUT, "x", dtype, x_dims, 2, {GB_UNIFORM, 0, -1.0, 1.0});
  if (x < 0) return 1;
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string layer = "layer" + std::to_string(i);  // names are unique in a program
    const std::int32_t up_weight = api->value(builder, GB_WEIGHT, (layer + ".w_up").c_str(), dtype, up_dims,
                                              2, {GB_UNIFORM, 0, -up_bound, up_bound});
    const std::int32_t down_weight = api->value(builder, GB_WEIGHT, (layer + ".w_down").c_str(), dtype,
                                                down_dims, 2, {GB_UNIFORM, 0, -down_bound, down_bound});
    if (up_weight < 0 || down_weight < 0) return 1;

    std::int32_t up = 0;
    const std::int32_t up_inputs[] = {x, up_weight};
    if (api->op(builder, "linear", (layer + ".up").c_str(), up_inputs, 2, nullptr, 0, &up, 1) < 0) return 1;

    std::int32_t gated = 0;
    if (api->op(builder, "swiglu", (layer + ".gate").c_str(), &up, 1, nullptr, 0, &gated, 1) < 0) return 1;

    const std::int32_t down_inputs[] = {gated, down_weight, x};
    if (api->op(builder, "linear", (layer + ".down").c_str(), down_inputs, 3, &residual, 1, &x, 1) < 0)
      return 1;
  }
  // Piecewise mode splits at our op, and launches it eagerly, unless --split-ops names other ops.
  const char* const splits[] = {"swiglu"};
  if (api->split_at(builder, splits, 1) < 0) return 1;
  return api->mark_output(builder, x) < 0 ? 1 : 0;
}

const gb_option kOptions[] = {
    {"layers", "residual layers", 1, 1024},
    {"hidden", "width of x", 1, 65536},
    {"ffn", "width of the gate; at least hidden", 1, 262144},
};
const std::int64_t kBase[] = {8, 1024, 2816};  // one value per option, in the options' order
const std::int64_t kTiny[] = {8, 64, 176};
const gb_preset kPresets[] = {{"base", kBase}, {"tiny", kTiny}};

const gb_workload kWorkload = {
    sizeof(gb_workload),
    0,
    "swiglu",
    "gated feed-forward layers; the batch is rows",
    kOptions,
    3,
    2,
    kPresets,
    build,
    nullptr,
};

const gb_workload* const kWorkloads[] = {&kWorkload};
const gb_op* const kOps[] = {&kSwiglu, &kSwigluGradient};
const gb_plugin kPlugin = {
    sizeof(gb_plugin), GB_ABI_VERSION, "swiglu-example", "1.0", kWorkloads, kOps, 1, 2, nullptr, 0, 0,
    nullptr,
};

}  // namespace

// The only exported function. It writes to `error` why the plugin cannot be used.
extern "C" GB_EXPORT int graphbench_plugin_open(std::uint32_t host_abi_version, const gb_plugin** plugin,
                                                char* error, std::size_t error_size) {
  if (host_abi_version != GB_ABI_VERSION) {
    std::snprintf(error, error_size, "built for ABI version %u, graphbench has %u", GB_ABI_VERSION,
                  host_abi_version);
    return 1;
  }
  *plugin = &kPlugin;
  return 0;
}
