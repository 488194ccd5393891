// Kernels and memory of a step whose layers run again.
#include <gtest/gtest.h>

#include "graphs/execution/step_kernels.hpp"
#include "graphs/ir/training/differentiate.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::execution {
namespace {

class RecomputedTest : public ::testing::Test {
 protected:
  ir::ValueId linear(const std::string& name, ir::ValueId x, ir::Attributes attributes = {}) {
    return b_.one("linear", name, {x, b_.weight(name + ".w")}, std::move(attributes));
  }
  ir::OpCatalog catalog_;
  test::SmallBuilder b_{catalog_, ir::DType::bf16};
  test::FakeDevice device_;
};

TEST_F(RecomputedTest, AStepHoldsTheLayersInputsAndOneLayerAtOnce) {
  ir::ValueId x = b_.input("x");
  for (const std::string layer : {"a.", "b.", "c.", "d."})
    x = linear(layer + "down", linear(layer + "up", x, {{"activation", std::string("gelu_tanh")}}));
  const ir::Program forward = b_.ending_in(x);
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
