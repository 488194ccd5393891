// Plugins that can be loaded, but then fail to build their program or crash. builder_glue_test.cpp and
// program_pass_test.cpp test mistakes that do not end the process.
#include <cstdlib>
#include <stdexcept>

#include "tests/integration/plugins/test_plugin.hpp"

namespace {

using namespace test_plugin;

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
  if constexpr (kCase == "build_exit") std::exit(0);
  return build_chain(request, builder, api, GRAPHBENCH_TEST_CASE, false);
}

constexpr gb_op kOp = graphbench::test::foreign_op(GRAPHBENCH_TEST_CASE, graphbench::test::infer_same, run);
constexpr const gb_op* kOps[] = {&kOp};
constexpr gb_plugin kPlugin = plugin_of<build>(kOps);

}  // namespace

GRAPHBENCH_TEST_OPENS(kPlugin)
