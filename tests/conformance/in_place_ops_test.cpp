// A convolution that writes its result over its residual gives the bits it gives elsewhere, at the sizes
// of the base workload, where a library divides the work.
#include "tests/conformance/devices.hpp"
#include "tests/conformance/rig.hpp"

namespace graphbench::conformance {
namespace {

using ir::fixed_dim;
using ir::of_batch;
using ir::ValueId;
using ir::ValueKind;

ir::Program residual_convolution(const ir::OpCatalog& catalog, ir::DType dtype) {
  ir::ProgramBuilder b("in_place", catalog);
  const ir::Init small{ir::Init::Kind::uniform, -0.05, 0.05};
  const std::int64_t one = 1;
  const ir::Shape image = {of_batch(), fixed_dim(56), fixed_dim(56), fixed_dim(64)};
  const ir::Shape filter = {fixed_dim(64), fixed_dim(3), fixed_dim(3), fixed_dim(64)};
  const ValueId x = b.value(ValueKind::input, "x", dtype, image, {});
  const ValueId w = b.value(ValueKind::weight, "w", dtype, filter, small);
  const ValueId bias = b.value(ValueKind::weight, "bias", dtype, {fixed_dim(64)}, {});
  const ValueId residual = b.value(ValueKind::input, "residual", dtype, image, {});
  const ir::Attributes attributes = {
      {"bias", one}, {"residual", one}, {"padding", one}, {"activation", std::string("relu")}};
  b.mark_output(b.op("conv2d", "op", {x, w, bias, residual}, attributes)[0]);
  return b.finish();
}

class InPlaceOps : public DeviceFixture, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override { open(GetParam()); }

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
    for (ValueId id = 0; id < 4; ++id) operands.push_back(rig.buffers().address(id));
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

INSTANTIATE_TEST_SUITE_P(Devices, InPlaceOps, ::testing::ValuesIn(backends()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace graphbench::conformance
