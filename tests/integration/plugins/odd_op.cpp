// Plugins whose op copies x to y on the host device, and fails, crashes, hangs, cannot be captured, needs
// the host, writes its input, answers differently each time, is slow, or fails for ever after one failure.
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "tests/integration/plugins/test_plugin.hpp"

extern "C" int sticky_op_launch_cuda(const gb_op_call* call, void* const* operands, void* cuda_stream,
                                     void* user);

namespace {

using namespace test_plugin;

constexpr std::uint32_t kFlags = kCase == "host_op"             ? GB_OP_HOST
                                 : kCase == "not_capturable_op" ? GB_OP_NOT_CAPTURABLE
                                                                : 0;

std::int32_t infer(const gb_symbolic* inputs, std::int32_t, const gb_attr*, std::int32_t,
                   gb_inferred* outputs, char* error, std::size_t error_size, void*) {
  if (inputs[0].dtype != GB_FP32) {
    say(error, error_size, "x must be fp32");
    return -1;
  }
  return infer_like_input(inputs, outputs);
}

bool has_failed = false;

int misbehave(float* input, float* output) {
  if constexpr (kCase == "crash_op") crash();
  if constexpr (kCase == "throw_op") throw std::runtime_error("run_host threw this");
  if constexpr (kCase == "hang_op") hang();
  if constexpr (kCase == "error_op") return 7;
  if constexpr (kCase == "sticky_op") has_failed = true;
  if constexpr (kCase == "mutating_op") input[0] += 1.0f;
  if constexpr (kCase == "slow_op") std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if constexpr (kCase == "flaky_op") {
    // Only ever called on the device's one stream thread.
    static float calls = 0.0f;
    output[0] += ++calls;
  }
  static_cast<void>(input);
  static_cast<void>(output);
  return 0;
}

int run(const gb_op_call* call, void* const* operands, void*) {
  const gb_tensor& x = call->operands[0];
  const auto count = static_cast<std::size_t>(x.dims[0] * x.dims[1]);
  auto* const input = static_cast<float*>(operands[0]);
  auto* const output = static_cast<float*>(operands[1]);
  std::memcpy(output, input, count * sizeof(float));
  const bool odd = call->batch >= call->attrs[0].integer;
  const int status = odd ? misbehave(input, output) : 0;
  return has_failed ? 7 : status;
}

// `mutating_op` has no ops around it, because only a mutation of the program's own input is an error.
int build(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void*) {
  return build_chain(request, builder, api, GRAPHBENCH_TEST_CASE, kCase != "mutating_op");
}

constexpr gb_op odd_op() {
  gb_op op = graphbench::test::foreign_op(GRAPHBENCH_TEST_CASE, infer, run, kFlags,
                                          kCase == "mutating_op" ? 1u : 0u);
#if defined(GRAPHBENCH_TEST_CUDA)
  op.launch_cuda = &sticky_op_launch_cuda;
#endif
  return op;
}

constexpr gb_op kOp = odd_op();
constexpr const gb_op* kOps[] = {&kOp};
constexpr gb_plugin kPlugin = plugin_of<build>(kOps);

}  // namespace

GRAPHBENCH_TEST_OPENS(kPlugin)
