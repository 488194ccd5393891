// Leaks between rows, planted behind every op of the base workloads, are caught where padding is checked.
#include <gmock/gmock.h>

#include <map>
#include <optional>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/ir/passes.hpp"
#include "harness/ladder/serve.hpp"
#include "tests/conformance/plugin_op.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sample_plan.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::ladder {
namespace {

// Every row but the last gets the next one added. All of it: a convolution's ReLU makes zeros of NaN, and
// zeros of half of what eager has there.
int read_next_row(const gb_op_call* call, void* const* operands, void*) {
  const auto* const from = static_cast<const float*>(operands[0]);
  auto* const to = static_cast<float*>(operands[1]);
  const gb_tensor& tensor = call->operands[0];
  std::int64_t width = 1;
  for (std::int32_t i = 1; i < tensor.rank; ++i) width *= tensor.dims[i];
  std::copy_n(from, tensor.dims[0] * width, to);
  for (std::int64_t i = 0; i < (tensor.dims[0] - 1) * width; ++i) to[i] += from[i + width];
  return 0;
}

const ir::OpCatalog& leaky_catalog() {
  static const ir::OpCatalog& catalog = []() -> const ir::OpCatalog& {
    return conformance::catalog_with(test::foreign_op("read_next_row", test::infer_same, read_next_row));
  }();
  return catalog;
}

// The same program, in which `leaking` is read through the leak.
ir::Program with_leak(const ir::Program& program, std::optional<ir::ValueId> leaking) {
  ir::ProgramBuilder builder(program.name(), leaky_catalog());
  std::map<ir::ValueId, ir::ValueId> now;
  for (ir::ValueId id = 0; id < program.values().size(); ++id) {
    const ir::Value& value = program.value(id);
    if (value.kind == ir::ValueKind::activation || value.kind == ir::ValueKind::output) continue;
    now[id] = builder.value(value.kind, value.name, value.dtype, value.shape, value.init);
    if (value.pad != 0) builder.pad_with(now[id], value.pad);
  }
  for (const ir::Op& op : program.ops()) {
    std::vector<ir::ValueId> inputs;
    for (const ir::ValueId id : op.inputs) inputs.push_back(now.at(id));
    const std::vector<ir::ValueId> outputs = builder.op(op.kind, op.name, inputs, op.attributes);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const bool leaks = op.outputs[i] == leaking;
      now[op.outputs[i]] = leaks ? builder.op("read_next_row", "leak", {outputs[i]}, {})[0] : outputs[i];
    }
  }
  for (const ir::ValueId id : program.values_of(ir::ValueKind::output)) builder.mark_output(now.at(id));
  return builder.finish();
}

class Leak : public ::testing::TestWithParam<const char*> {};

std::string why_refused(const ServeTask& task, const ir::Program& program) {
  const std::unique_ptr<Device> device = open_device("host");
  worker::TaskRig rig(task.task, *device, program);
  worker::StartupClock clock(0);
  ServeAnswer answer;
  return test::failure([&] { serve(task, rig, program, clock, {[] {}, {}}, answer); });
}

TEST_P(Leak, BetweenRowsIsCaughtWhereverItIsPlanted) {
  ServeTask task;
  task.task = test::sample_task("whole", {});
  task.task.warmup = 1;
  task.task.workload = GetParam();
  task.sizes = {4};
  task.rows = {4, 1, 3};
  task.placements = 1;
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  const ir::Program program = worker::build_program(registry, task.task);
  EXPECT_EQ(why_refused(task, with_leak(program, {})), "none");
  std::size_t planted = 0;
  for (const ir::Op& op : program.ops()) {
    for (const ir::ValueId id : op.outputs) {
      ++planted;
      EXPECT_THAT(why_refused(task, with_leak(program, id)), testing::HasSubstr("differs from eager's"))
          << "behind " << op.name;
    }
  }
  EXPECT_GE(planted, 10u);
  RecordProperty("planted", static_cast<int>(planted));
}

INSTANTIATE_TEST_SUITE_P(Workloads, Leak, testing::Values("mlp", "attention", "conv"));

}  // namespace
}  // namespace graphbench::ladder
