// A plugin with rewriting passes: one that replaces gelu_tanh and its gradient by relu's, and one that
// fails. program_pass_test.cpp tests passes that make wrong programs.
#include <cstring>
#include <map>
#include <string>

#include "tests/integration/plugins/test_plugin.hpp"

namespace {

bool is(const gb_program_op& op, const char* kind) {
  return std::strcmp(op.kind, kind) == 0;
}

int put(const gb_program* program, std::int32_t at, const char* kind, const std::int32_t* inputs,
        std::int32_t count, std::int32_t* output, gb_rewriter* rewriter, const gb_rewriter_api* api) {
  const gb_program_op& op = program->ops[at];
  const std::string name = std::string(op.name) + ".relu";
  if (api->op(rewriter, at, kind, name.c_str(), inputs, count, nullptr, 0, output, 1) < 0) return 1;
  if (api->replace(rewriter, op.outputs[0], *output) < 0) return 1;
  return api->log(rewriter, (std::string(op.name) + " is " + kind).c_str()) < 0 ? 1 : 0;
}

int relu_for_gelu(const gb_program* program, gb_rewriter* rewriter, const gb_rewriter_api* api, void*) {
  std::map<std::int32_t, std::int32_t> relus;  // relus' outputs, by the gelus' inputs
  for (std::int32_t i = 0; i < program->op_count; ++i) {
    const gb_program_op& op = program->ops[i];
    std::int32_t output = -1;
    int status = 0;
    if (is(op, "gelu_tanh")) {
      status = put(program, i, "relu", op.inputs, 1, &output, rewriter, api);
      relus[op.inputs[0]] = output;
    } else if (is(op, "gelu_tanh_grad")) {
      const std::int32_t inputs[] = {op.inputs[0], relus.at(op.inputs[1])};
      status = put(program, i, "relu_grad", inputs, 2, &output, rewriter, api);
    } else {
      status = api->keep(rewriter, i) < 0 ? 1 : 0;
    }
    if (status != 0) return status;
  }
  return 0;
}

int failing(const gb_program*, gb_rewriter* rewriter, const gb_rewriter_api* api, void*) {
  api->fail(rewriter, "it takes convolutions alone");
  return 1;
}

constexpr gb_program_pass pass_of(const char* name, const char* help,
                                  decltype(gb_program_pass::rewrite) rewrite) {
  return {sizeof(gb_program_pass), 0, name, help, rewrite, nullptr};
}
constexpr gb_program_pass kRelu = pass_of("relu-for-gelu", "takes relu for gelu_tanh", relu_for_gelu);
constexpr gb_program_pass kFailing = pass_of("failing", "fails", failing);
constexpr const gb_program_pass* kPasses[] = {&kRelu, &kFailing};
constexpr gb_plugin with_passes() {
  gb_plugin plugin = graphbench::test::empty_plugin(GRAPHBENCH_TEST_CASE);
  plugin.passes = kPasses;
  plugin.pass_count = 2;
  return plugin;
}
constexpr gb_plugin kPlugin = with_passes();

}  // namespace

GRAPHBENCH_TEST_OPENS(kPlugin)
