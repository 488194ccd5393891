// Steps in which one kernel does the work of two ops: where it may, with which operands and memory.
#include <algorithm>

#include "tests/unit/graphs/execution/execution_fixture.hpp"

namespace graphbench::execution {
namespace {

using ::testing::ElementsAre;

class FusionTest : public ExecutionTest {
 protected:
  void fuse(const char* first, const char* second) {
    device_.log.fuses_first = first;
    device_.log.fuses_second = second;
  }
};

TEST_F(FusionTest, OneKernelDoesTwoOpsInEveryMode) {
  fuse("rmsnorm", "linear");
  const std::vector<std::string> launches = {"layer0.norm+layer0.up", "layer0.down",
                                             "layer1.norm+layer1.up", "layer1.down",
                                             "layer2.norm+layer2.up", "layer2.down"};
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise}) {
    device_.log.launches.clear();
    const auto executor = make_executor(mode, context(), 4);
    if (mode == ExecutionMode::eager) {
      executor->submit();
      EXPECT_EQ(device_.log.launches, launches);
    } else {
      prepare(*executor);
    }
    const GraphCounts counts = executor->counts();
    EXPECT_EQ(counts.captured_ops + counts.eager_ops, 9) << name_of(mode);  // ops, not kernels
    EXPECT_EQ(counts.nodes, mode == ExecutionMode::eager ? 0 : 6) << name_of(mode);
  }
}

TEST_F(FusionTest, AValueThatItWritesLivesAsLongAsItIsRead) {
  fuse("linear", "linear");
  make_executor(ExecutionMode::eager, context(), 4)->submit();
  const std::vector<void*>& operands = device_.log.operands[1];  // norm, w, wide; wide, w, x, y
  ASSERT_EQ(operands.size(), 7u);
  EXPECT_EQ(operands[2], operands[3]);
  EXPECT_EQ(std::ranges::count(operands, nullptr), 0);
  EXPECT_NE(operands[6], operands[2]);  // both results are written while both are read
  EXPECT_NE(operands[6], operands[0]);
  EXPECT_EQ(eager_pool_.statistics().in_use_bytes, 0u);
}

TEST_F(FusionTest, NothingIsFusedAcrossASplitInAnyMode) {
  fuse("linear", "rmsnorm");  // neighbours only across the boundary
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise}) {
    const auto executor = make_executor(mode, context(), 4);
    prepare(*executor);
    EXPECT_EQ(executor->eager().items().size(), 9u) << name_of(mode);
  }
  fuse("rmsnorm", "linear");
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise}) {
    const auto executor = make_executor(mode, context({"linear"}), 4);
    EXPECT_EQ(executor->eager().items().size(), 9u) << name_of(mode);
  }
}

TEST_F(FusionTest, AnOpIsInOneKernelOnly) {
  ir::ProgramBuilder builder("three", catalog_);
  ir::ValueId x =
      builder.value(ir::ValueKind::input, "x", ir::DType::fp32, {ir::of_batch(), ir::fixed_dim(64)}, {});
  for (const char* name : {"a", "b", "c"}) x = builder.op("relu", name, {x}, {})[0];
  builder.mark_output(x);
  const ir::Program program = builder.finish();
  fuse("relu", "relu");
  ProgramBuffers buffers(device_, program, largest_batch);
  make_executor(ExecutionMode::eager, context_of(program, buffers), 4)->submit();
  EXPECT_THAT(device_.log.launches, ElementsAre("a+b", "c"));
}

TEST_F(FusionTest, TheFirstOpsResultMayTakeItsResidualsMemory) {
  // x2 = norm(x1 = wide x w + x0), x0 read for the last time: one block less.
  ir::ProgramBuilder builder("in_place", catalog_);
  const ir::Shape shape{ir::of_batch(), ir::fixed_dim(64)};
  const ir::ValueId x = builder.value(ir::ValueKind::input, "x", ir::DType::fp32, shape, {});
  const ir::ValueId w =
      builder.value(ir::ValueKind::weight, "w", ir::DType::fp32, {ir::fixed_dim(64), ir::fixed_dim(64)}, {});
  const ir::ValueId gamma =
      builder.value(ir::ValueKind::weight, "gamma", ir::DType::fp32, {ir::fixed_dim(64)}, {});
  const ir::ValueId relu = builder.op("relu", "relu", {x}, {})[0];
  const ir::ValueId sum = builder.op("linear", "sum", {x, w, relu}, {{"residual", std::int64_t{1}}})[0];
  const ir::ValueId norm = builder.op("rmsnorm", "norm", {sum, gamma}, {})[0];
  builder.mark_output(builder.op("add", "out", {norm, sum}, {})[0]);
  const ir::Program program = builder.finish();
  fuse("linear", "rmsnorm");
  device_.log.residuals_in_place = true;
  ProgramBuffers buffers(device_, program, largest_batch);
  make_executor(ExecutionMode::eager, context_of(program, buffers), 4)->submit();
  ASSERT_THAT(device_.log.launches, ElementsAre("relu", "sum+norm", "out"));
  const std::vector<void*>& operands = device_.log.operands[1];  // x, w, relu, sum; sum, gamma, norm
  EXPECT_EQ(operands[2], operands[3]);
  EXPECT_EQ(operands[3], operands[4]);
  EXPECT_NE(operands[6], operands[3]);
  EXPECT_EQ(eager_pool_.statistics().in_use_bytes, 0u);
}

// x -> linear -> bias -> sum with x -> norm -> linear: the output; the sum is one too.
class ChainTest : public FusionTest {
 protected:
  ChainTest() {
    ir::ProgramBuilder b("chain", catalog_);
    const ir::Shape vector{ir::fixed_dim(64)}, matrix{ir::fixed_dim(64), ir::fixed_dim(64)};
    const auto weight = [&](const char* name, const ir::Shape& shape) {
      return b.value(ir::ValueKind::weight, name, ir::DType::fp32, shape, {});
    };
    const ir::ValueId x =
        b.value(ir::ValueKind::input, "x", ir::DType::fp32, {ir::of_batch(), ir::fixed_dim(64)}, {});
    const ir::ValueId w = weight("w", matrix), v = weight("v", vector);
    const ir::ValueId product = b.op("linear", "product", {x, w}, {})[0];
    const ir::ValueId bias = b.op("bias_add", "bias", {product, v}, {})[0];
    const ir::ValueId sum = b.op("add", "sum", {bias, x}, {})[0];
    const ir::ValueId norm = b.op("rmsnorm", "norm", {sum, v}, {})[0];
    b.mark_output(b.op("linear", "next", {norm, w}, {})[0]);
    b.mark_output(sum);
    program_ = b.finish();
    fuse("add", "rmsnorm");
  }

  // The launches of a step.
  std::vector<std::string> launches(ir::Fusion fusion) {
    program_.set_fusion(fusion);
    ProgramBuffers buffers(device_, program_, largest_batch);
    device_.log.launches.clear();
    device_.log.operands.clear();
    const auto executor = make_executor(ExecutionMode::eager, context_of(program_, buffers), 4);
    executor->submit();
    not_made_ = executor->chains_not_made();
    return device_.log.launches;
  }

  ir::Program program_;
  std::vector<KernelPath> not_made_;
};

TEST_F(ChainTest, OfNoneEachOpHasAKernelAndOfPairsTwoHaveOne) {
  EXPECT_THAT(launches(ir::Fusion::none), ElementsAre("product", "bias", "sum", "norm", "next"));
  EXPECT_THAT(program_.rewrites().back(), ::testing::HasSubstr("a kernel of its own"));
  EXPECT_THAT(launches(ir::Fusion::pairs), ElementsAre("product", "bias", "sum+norm", "next"));
}

TEST_F(ChainTest, OneKernelStoresWhatOthersReadAndNothingElse) {
  device_.log.makes_chains = true;
  EXPECT_THAT(launches(ir::Fusion::chains), ElementsAre("product", "bias+sum+norm", "next"));
  EXPECT_EQ(device_.log.operands[1].size(), 5u);  // product, v, x; sum, norm
  EXPECT_EQ(device_.log.operands[1][4], device_.log.operands[2][0]);
  EXPECT_EQ(std::ranges::count(device_.log.operands[1], nullptr), 0);
  EXPECT_EQ(eager_pool_.statistics().in_use_bytes, 0u);
  EXPECT_TRUE(not_made_.empty());
  ProgramBuffers buffers(device_, program_, largest_batch);
  const auto whole = make_executor(ExecutionMode::whole, context_of(program_, buffers), 4);
  prepare(*whole);
  EXPECT_EQ(whole->counts().captured_ops, 5);
  EXPECT_EQ(whole->counts().nodes, 3);
}

TEST_F(ChainTest, OneThatTheDeviceDoesNotMakeFallsToPairsAndSaysWhy) {
  EXPECT_THAT(launches(ir::Fusion::chains), ElementsAre("product", "bias", "sum+norm", "next"));
  ASSERT_EQ(not_made_.size(), 1u);
  EXPECT_EQ(not_made_[0].name, "bias_add+add+rmsnorm:a kernel each");
  EXPECT_EQ(not_made_[0].fallback, "a fake makes none");
}

TEST_F(ChainTest, SingleOpsThatNothingElseTookAreGeneratedWhereAskedFor) {
  device_.log.makes_chains = true;
  program_.set_code(ir::Code::sized);
  EXPECT_THAT(program_.rewrites().back(), ::testing::HasSubstr("each for one size"));
  EXPECT_THAT(launches(ir::Fusion::none),
              ElementsAre("product", "bias of one size", "sum of one size", "norm of one size", "next"));
  EXPECT_EQ(device_.log.operands[2].size(), 3u);
  EXPECT_EQ(device_.log.operands[2][2], device_.log.operands[3][0]);
  EXPECT_EQ(eager_pool_.statistics().in_use_bytes, 0u);
  EXPECT_THAT(launches(ir::Fusion::pairs), ElementsAre("product", "bias of one size", "sum+norm", "next"));
  EXPECT_THAT(launches(ir::Fusion::chains), ElementsAre("product", "bias+sum+norm", "next"));
  program_.set_code(ir::Code::general);
  EXPECT_THAT(launches(ir::Fusion::pairs), ElementsAre("product", "bias of any size", "sum+norm", "next"));
  EXPECT_TRUE(not_made_.empty());
}

TEST_F(ChainTest, SingleOpsThatTheDeviceDoesNotGenerateSayWhy) {
  program_.set_code(ir::Code::sized);
  EXPECT_THAT(launches(ir::Fusion::pairs), ElementsAre("product", "bias", "sum+norm", "next"));
  ASSERT_EQ(not_made_.size(), 1u);
  EXPECT_EQ(not_made_[0].name, "bias_add:built in");
  EXPECT_EQ(not_made_[0].fallback, "a fake makes none");
}

}  // namespace
}  // namespace graphbench::execution
