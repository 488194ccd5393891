// A convolution that writes its result over its residual gives the bits it gives elsewhere, at the sizes
// of the base workload, where a library divides the work.
#include "tests/conformance/devices.hpp"
#include "tests/conformance/rig.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::conformance {
namespace {

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
    Rig rig(device(), stream(), program, batch);
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
