// Kernels and memory of a step whose layers run again.
#include <gtest/gtest.h>

#include "graphs/execution/step_kernels.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "tests/support/fake_device.hpp"

namespace graphbench::execution {
namespace {

using ir::ValueId;
using ir::ValueKind;

class RecomputedTest : public ::testing::Test {
 protected:
  ValueId weight(const std::string& name, ir::Shape shape) {
    return builder_.value(ValueKind::weight, name, ir::DType::bf16, std::move(shape), {});
  }
  ValueId linear(const std::string& name, ValueId x, ir::Attributes attributes = {}) {
    const ValueId w = weight(name + ".w", {ir::fixed_dim(8), ir::fixed_dim(8)});
    return builder_.op("linear", name, {x, w}, std::move(attributes))[0];
  }
  ValueId input() {
    return builder_.value(ValueKind::input, "x", ir::DType::bf16, {ir::of_batch(), ir::fixed_dim(8)}, {});
  }
  ir::OpCatalog catalog_;
  ir::ProgramBuilder builder_{"p", catalog_};
  test::FakeDevice device_;
};

TEST_F(RecomputedTest, AStepHoldsTheLayersInputsAndOneLayerAtOnce) {
  ValueId x = input();
  for (const std::string layer : {"a.", "b.", "c.", "d."})
    x = linear(layer + "down", linear(layer + "up", x, {{"activation", std::string("gelu_tanh")}}));
  builder_.mark_output(x);
  const ir::Program forward = builder_.finish();
  const ir::Program none = ir::differentiate(forward, catalog_, {});
  const ir::Program layer = ir::differentiate(forward, catalog_, {.checkpoint = ir::Checkpoint::layer});
  constexpr std::int64_t batch = 1024;
  constexpr std::size_t rows = batch * 8 * 2;  // bytes of an activation; all gradients together are 2 KiB
  const StepKernels kept(device_, none, batch), again(device_, layer, batch);
  EXPECT_EQ(kept.peak_bytes / rows, 13u)
      << "gelu's two of each layer, three inputs, the output, its gradient";
  EXPECT_EQ(again.peak_bytes / rows, 6u) << "three inputs; of one layer gelu's two, and a gradient";
  EXPECT_EQ(again.ops.size(), kept.ops.size() + 8);
  EXPECT_EQ(again.kernels.size(), kept.kernels.size())
      << "ops that run again have the kernel of the first time";
}

}  // namespace
}  // namespace graphbench::execution
