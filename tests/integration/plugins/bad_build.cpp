// Plugins that load well and then fail to build their program.
#include <stdexcept>

#include "tests/integration/plugins/test_plugin.hpp"

namespace {

using namespace test_plugin;

std::int32_t infer(const gb_symbolic* inputs, std::int32_t, const gb_attr*, std::int32_t,
                   gb_inferred* outputs, char* error, std::size_t error_size, void*) {
  if constexpr (kCase == "infer_error") {
    say(error, error_size, "x has the wrong colour");
    return -1;
  }
  if constexpr (kCase == "infer_throw") throw std::runtime_error("infer threw this");
  return infer_like_input(inputs, outputs);
}

int run(const gb_op_call*, void* const*, void*) {
  return 0;
}

int build(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void*) {
  if constexpr (kCase == "build_error") {
    api->fail(builder, "width and height must match");
    return 1;
  }
  if constexpr (kCase == "build_throw") throw std::runtime_error("build threw this");
  if constexpr (kCase == "build_crash") crash();
  if constexpr (kCase == "build_hang") hang();
  if constexpr (kCase == "ignored_refusal") {
    std::int32_t output = 0;
    api->op(builder, "no_such_kind", "wrong", nullptr, 0, nullptr, 0, &output, 1);
    return 0;
  }
  return build_chain(request, builder, api, GRAPHBENCH_TEST_CASE, false);
}

constexpr gb_op kOp = graphbench::test::foreign_op(GRAPHBENCH_TEST_CASE, infer, run);
constexpr const gb_op* kOps[] = {&kOp};
constexpr gb_plugin kPlugin = plugin_of<build>(kOps);

}  // namespace

GRAPHBENCH_TEST_OPENS(kPlugin)
