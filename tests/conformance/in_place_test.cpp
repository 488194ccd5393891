// Ops that run in place give the same numbers, and a chain of them needs one block.
#include <cmath>
#include <numbers>

#include "tests/conformance/devices.hpp"
#include "tests/conformance/rig.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

constexpr std::int64_t width = 300;
constexpr std::int64_t batch = 7;

double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

// gelu(relu(x)) + x: each op reads its first input for the last time.
ir::Program chain(const ir::OpCatalog& catalog) {
  test::SmallBuilder b(catalog);
  const ir::ValueId x = b.input("x", test::batched({width}));
  const ir::ValueId gelu = b.one("gelu_tanh", "gelu", {b.one("relu", "relu", {x})});
  return b.ending_in(b.one("add", "sum", {gelu, x}));
}

using InPlaceConformance = BackendFixture;

TEST_P(InPlaceConformance, AChainGivesTheRightNumbersInEveryMode) {
  const ir::OpCatalog catalog;
  const ir::Program program = chain(catalog);
  Rig rig(device(), stream(), program, batch);
  for (const ExecutionMode mode : {ExecutionMode::eager, ExecutionMode::whole, ExecutionMode::piecewise}) {
    const auto executor = rig.prepare(mode, batch);
    const std::vector<double> actual = decode(rig.step(*executor, batch, 5).at(0), ir::DType::fp32);
    const std::vector<double> x =
        decode(rig.read(rig.buffers().address(0), batch * width * sizeof(float)), ir::DType::fp32);
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
  const ir::OpCall add = program.call(2, batch);
  const bool in_place = device().make_kernel(add)->in_place_input().has_value();
  Rig rig(device(), stream(), program, batch);
  const auto executor = rig.prepare(ExecutionMode::whole, batch);
  const std::size_t block = (batch * width * sizeof(float) + 511) / 512 * 512;
  EXPECT_EQ(rig.graph_pool().statistics().in_use_bytes_max, in_place ? block : 2 * block);
}

INSTANTIATE_TEST_SUITE_P(Devices, InPlaceConformance, ::testing::ValuesIn(backends()), name_of_backend);

}  // namespace
}  // namespace graphbench::conformance
