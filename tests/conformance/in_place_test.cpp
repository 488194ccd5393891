// Ops that run in place give the same numbers, and a chain of them needs one block. A convolution over its
// residual gives the bits it gives elsewhere, at the sizes of the base workload, where a library divides the
// work.
#include <cmath>
#include <numbers>

#include "tests/conformance/devices.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

constexpr std::int64_t chain_width = 300;
constexpr std::int64_t chain_batch = 7;

double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

// gelu(relu(x)) + x: each op reads its first input for the last time.
ir::Program chain(const ir::OpCatalog& catalog) {
  test::SmallBuilder b(catalog);
  const ir::ValueId x = b.input("x", test::batched({chain_width}));
  const ir::ValueId gelu = b.one("gelu_tanh", "gelu", {b.one("relu", "relu", {x})});
  return b.ending_in(b.one("add", "sum", {gelu, x}));
}

using InPlaceConformance = BackendFixture;

TEST_P(InPlaceConformance, AChainGivesTheRightNumbersInEveryMode) {
  const ir::OpCatalog catalog;
  const ir::Program program = chain(catalog);
  Rig rig = rig_of(program, chain_batch);
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise}) {
    const auto executor = rig.prepare(mode, chain_batch);
    const std::vector<double> actual = decode(rig.step(*executor, chain_batch, 5).at(0), ir::DType::fp32);
    const std::vector<double> x = decode(
        rig.read(rig.buffers().address(0), chain_batch * chain_width * sizeof(float)), ir::DType::fp32);
    ASSERT_EQ(actual.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(actual[i], gelu_tanh(std::max(x[i], 0.0)) + x[i], 1e-5)
          << execution::name_of(mode) << " " << i;
    }
  }
}

TEST_P(InPlaceConformance, AChainNeedsOneBlockWhereItsOpsRunInPlace) {
  const ir::OpCatalog catalog;
  const ir::Program program = chain(catalog);
  const ir::OpCall add = program.call(2, chain_batch);
  const bool in_place = device().make_kernel(add)->in_place_input().has_value();
  Rig rig = rig_of(program, chain_batch);
  const auto executor = rig.prepare(ExecutionMode::whole, chain_batch);
  const std::size_t block = (chain_batch * chain_width * sizeof(float) + 511) / 512 * 512;
  EXPECT_EQ(rig.graph_pool().statistics().in_use_bytes_max, in_place ? block : 2 * block);
}

INSTANTIATE_TEST_SUITE_P(Devices, InPlaceConformance, ::testing::ValuesIn(backends()), name_of_backend);

ir::Program residual_convolution(const ir::OpCatalog& catalog, ir::DType dtype) {
  test::SmallBuilder b(catalog, dtype);
  const ir::Init small{ir::Init::Kind::uniform, -0.05, 0.05};
  const std::int64_t one = 1;
  const ir::Shape image = test::batched({56, 56, 64});
  const ir::ValueId x = b.input("x", image);
  const ir::ValueId w = b.weight("w", test::fixed({64, 3, 3, 64}), small);
  const ir::ValueId bias = b.weight("bias", test::fixed({64}));
  const ir::Attributes attributes = {
      {"bias", one}, {"residual", one}, {"padding", one}, {"activation", std::string("relu")}};
  return b.ending_in(b.one("conv2d", "op", {x, w, bias, b.input("residual", image)}, attributes));
}

class InPlaceOps : public BackendFixture {
 protected:
  void expect_same_bits(ir::DType dtype, std::int64_t batch) {
    SCOPED_TRACE(std::string(ir::name_of(dtype)) + ", batch " + std::to_string(batch));
    const ir::OpCatalog catalog;
    const ir::Program program = residual_convolution(catalog, dtype);
    const ir::OpCall call = program.call(0, batch);
    const std::unique_ptr<Kernel> kernel = device().make_kernel(call);
    const std::optional<std::size_t> position = kernel->in_place_input();
    ASSERT_EQ(position, 3u);
    Rig rig = rig_of(program, batch);
    rig.reset(3);
    const std::size_t bytes = call.output(0).bytes();
    const Buffer elsewhere(device(), bytes);
    std::vector<void*> operands;
    for (ir::ValueId id = 0; id < 4; ++id) operands.push_back(rig.buffers().address(id));
    operands.push_back(elsewhere.data());
    kernel->launch(stream(), operands.data());
    const std::uint64_t expected = device().digest(stream(), elsewhere.data(), bytes);
    for (int repeat = 0; repeat < 5; ++repeat) {  // a race would not lose every time
      rig.reset(3);
      operands.back() = operands[*position];
      kernel->launch(stream(), operands.data());
      ASSERT_EQ(device().digest(stream(), operands.back(), bytes), expected) << "repeat " << repeat;
    }
  }
};

TEST_P(InPlaceOps, Conv2dOverItsResidual) {
  for (const ir::DType dtype : {ir::DType::bf16, ir::DType::fp16, ir::DType::fp32}) {
    if (!device().supports(dtype)) continue;
    for (std::int64_t batch = 1; batch <= 256; batch *= 2) {
      expect_same_bits(dtype, batch);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, InPlaceOps, ::testing::ValuesIn(backends()), name_of_backend);

}  // namespace
}  // namespace graphbench::conformance
