// Ops that are alike share an implementation; ops that differ in anything do not.
#include <gtest/gtest.h>

#include "graphs/host/host_device.hpp"
#include "graphs/host/host_kernel.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::host {
namespace {

ir::Program norm_program(const ir::OpCatalog& catalog, const std::string& op_name, std::int64_t width,
                         double eps) {
  test::SmallBuilder b(catalog);
  const auto x = b.input("x", test::batched({width})), gamma = b.weight("g", test::fixed({width}));
  return b.ending_in(b.one("rmsnorm", op_name, {x, gamma}, {{"eps", eps}}));
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
  test::SmallBuilder b(catalog, ir::DType::fp16);
  const ir::Program program = b.ending_in(b.one("relu", "the_relu", {b.input("x")}));
  EXPECT_FALSE(device.supports(ir::DType::fp16));
  const Error error = test::error_of([&] { device.make_kernel(program.call(0, 1)); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_NE(std::string(error.what()).find("the_relu"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace graphbench::host
