// Ops that are alike share an implementation; ops that differ in anything do not.
#include <gtest/gtest.h>

#include "graphs/host/host_device.hpp"
#include "graphs/host/host_kernel.hpp"
#include "graphs/ir/program.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::host {
namespace {

ir::Program norm_program(const ir::OpCatalog& catalog, const std::string& op_name, std::int64_t width,
                         double eps) {
  ir::ProgramBuilder builder("p", catalog);
  const auto x =
      builder.value(ir::ValueKind::input, "x", ir::DType::fp32, {ir::of_batch(), ir::fixed_dim(width)}, {});
  const auto gamma = builder.value(ir::ValueKind::weight, "g", ir::DType::fp32, {ir::fixed_dim(width)}, {});
  builder.mark_output(builder.op("rmsnorm", op_name, {x, gamma}, {{"eps", eps}})[0]);
  return builder.finish();
}

TEST(KernelCache, OpsThatAgreeShareAnImplementation) {
  const ir::OpCatalog catalog;
  HostDevice device;
  const ir::Program first = norm_program(catalog, "one", 8, 1e-5);
  const ir::Program second = norm_program(catalog, "two", 8, 1e-5);
  device.make_kernel(first.call(0, 4));
  device.make_kernel(second.call(0, 4));
  EXPECT_EQ(device.kernels().size(), 1u);
}

TEST(KernelCache, BatchShapeAndAttributesTellThemApart) {
  const ir::OpCatalog catalog;
  HostDevice device;
  device.make_kernel(norm_program(catalog, "n", 8, 1e-5).call(0, 4));
  device.make_kernel(norm_program(catalog, "n", 8, 1e-5).call(0, 5));
  device.make_kernel(norm_program(catalog, "n", 9, 1e-5).call(0, 4));
  device.make_kernel(norm_program(catalog, "n", 8, 1.0000001e-5).call(0, 4));
  EXPECT_EQ(device.kernels().size(), 4u);
}

TEST(KernelCache, AFailedPreparationLeavesNoEntry) {
  KernelCache cache;
  EXPECT_THROW(
      cache.find_or_make(
          "bad", []() -> std::unique_ptr<OpImplementation> { throw Error(ErrorCode::unsupported, "no"); }),
      Error);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(HostDevice, RefusesADtypeItHasNoArithmeticFor) {
  const ir::OpCatalog catalog;
  HostDevice device;
  ir::ProgramBuilder builder("p", catalog);
  const auto x =
      builder.value(ir::ValueKind::input, "x", ir::DType::fp16, {ir::of_batch(), ir::fixed_dim(8)}, {});
  builder.mark_output(builder.op("relu", "the_relu", {x}, {})[0]);
  const ir::Program program = builder.finish();
  EXPECT_FALSE(device.supports(ir::DType::fp16));
  const Error error = test::error_of([&] { device.make_kernel(program.call(0, 1)); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_NE(std::string(error.what()).find("the_relu"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace graphbench::host
