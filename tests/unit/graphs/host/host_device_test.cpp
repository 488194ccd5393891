// Tests the host device's shared kernels, memory limit, shares of CPUs, and rounding.
#include "graphs/host/host_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "graphs/host/bfloat16.hpp"
#include "graphs/host/cpu.hpp"
#include "graphs/host/host_kernel.hpp"
#include "graphs/host/host_memory.hpp"
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

std::uint16_t bits_of(float value) {
  return from_float<BFloat16>(value).bits;
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(bits_of(1.0f), 0x3F80);
  EXPECT_EQ(bits_of(std::bit_cast<float>(0x3F808000u)), 0x3F80);  // a tie: rounds down to the even mantissa
  EXPECT_EQ(bits_of(std::bit_cast<float>(0x3F818000u)), 0x3F82);  // a tie: rounds up to the even mantissa
  EXPECT_EQ(bits_of(std::bit_cast<float>(0x3F808001u)), 0x3F81);
  EXPECT_EQ(bits_of(std::numeric_limits<float>::max()), 0x7F80);  // rounds up to infinity
  EXPECT_EQ(bits_of(-0.0f), 0x8000);
}

TEST(BFloat16, KeepsWhatIsNoNumber) {
  EXPECT_TRUE(std::isnan(to_float(from_float<BFloat16>(std::nanf("")))));
  EXPECT_TRUE(std::isnan(to_float(from_float<BFloat16>(std::bit_cast<float>(0x7F800001u)))));
  EXPECT_TRUE(std::isinf(to_float(from_float<BFloat16>(HUGE_VALF))));
}

TEST(RopeKvAppend, APositionBeyondTheCacheIsRefused) {
  const ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const auto qkv = b.input("qkv", test::batched({6})), at = b.integers("at");
  const auto k = b.state("k", test::batched({1, 4, 2})), v = b.state("v", test::batched({1, 4, 2}));
  const ir::Attributes attributes{{"heads", std::int64_t{1}}, {"head_dim", std::int64_t{2}}};
  const ir::Program program = b.ending_in(b.one("rope_kv_append", "rope", {qkv, at, k, v}, attributes));

  HostDevice device;
  const auto kernel = device.make_kernel(program.call(0, 2));
  const auto stream = device.make_stream();
  std::vector<float> rows(12), k_cache(16), v_cache(16), q(4);
  std::int32_t positions[2] = {3, 4};
  void* operands[] = {rows.data(), positions, k_cache.data(), v_cache.data(), q.data()};
  kernel->launch(*stream, operands);
  EXPECT_THROW(stream->synchronize(), Error);
}

constexpr std::size_t mib = 1024 * 1024;

class LimitedMemory : public ::testing::Test {
 protected:
  LimitedMemory() {
    if (const char* text = std::getenv(memory_limit_variable)) before_ = text;
    setenv(memory_limit_variable, std::to_string(16 * mib).c_str(), 1);
  }
  ~LimitedMemory() override {
    if (before_.empty()) {
      unsetenv(memory_limit_variable);
    } else {
      setenv(memory_limit_variable, before_.c_str(), 1);
    }
  }

 private:
  std::string before_;
};

ErrorCode code_of_allocating(HostMemory& memory, std::size_t bytes) {
  return test::error_of([&] { memory.deallocate(memory.allocate(bytes)); }).code();
}

TEST_F(LimitedMemory, TheVariableIsTheDevicesMemory) {
  HostMemory memory;
  EXPECT_EQ(memory.info().total_bytes, 16 * mib);
  EXPECT_EQ(memory.info().free_bytes, 16 * mib);
}

TEST_F(LimitedMemory, BeyondTheLimitIsOutOfMemory) {
  HostMemory memory;
  EXPECT_EQ(code_of_allocating(memory, 17 * mib), ErrorCode::out_of_memory);
  void* held = memory.allocate(10 * mib);
  EXPECT_EQ(memory.info().free_bytes, 6 * mib);
  EXPECT_EQ(code_of_allocating(memory, 7 * mib), ErrorCode::out_of_memory);
  memory.deallocate(held);
  EXPECT_EQ(memory.info().free_bytes, 16 * mib);
  memory.deallocate(memory.allocate(16 * mib));
}

TEST_F(LimitedMemory, MemoryIsAlignedAndCountedInFull) {
  HostMemory memory;
  void* data = memory.allocate(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 512, 0u);
  EXPECT_EQ(memory.allocated_bytes(), 512u);
  memory.deallocate(data);
  EXPECT_EQ(memory.allocated_bytes(), 0u);
}

TEST_F(LimitedMemory, ALimitThatIsNoNumberIsRefused) {
  for (const char* text : {"", "0", "-1", "1G", "12 ", "99999999999999999999999"}) {
    setenv(memory_limit_variable, text, 1);
    EXPECT_THROW(HostMemory(), Error) << text;
  }
}

TEST(HostMemory, WhatTheMachineOnlyPromisesIsOutOfMemory) {
  HostMemory memory;
  EXPECT_EQ(code_of_allocating(memory, read_system_memory().available_bytes), ErrorCode::out_of_memory);
  EXPECT_EQ(code_of_allocating(memory, std::numeric_limits<std::size_t>::max()), ErrorCode::out_of_memory);
}

TEST(SystemMemory, AvailableIsAPartOfTheTotal) {
  const SystemMemory memory = read_system_memory();
  EXPECT_GT(memory.available_bytes, 0u);
  EXPECT_LE(memory.available_bytes, memory.total_bytes);
}

using testing::ElementsAre;
using testing::HasSubstr;

class Shares : public testing::Test {
 protected:
  ~Shares() override { unsetenv(shares_variable); }
  static void divide(const char* text) { setenv(shares_variable, text, 1); }
  static std::string error(const std::string& device) {
    return test::error_of([&] { share_of(device); }).what();
  }
};

TEST_F(Shares, DivideCpusWithoutOverlap) {
  divide("3");
  const std::vector<int> cpus = {0, 1, 4, 5, 6};
  EXPECT_THAT(cpus_of(0, cpus), ElementsAre(0));
  EXPECT_THAT(cpus_of(1, cpus), ElementsAre(1, 4));
  EXPECT_THAT(cpus_of(2, cpus), ElementsAre(5, 6));
  EXPECT_THAT(test::error_of([&] { cpus_of(0, {0, 1}); }).what(), HasSubstr("this process may use 2 CPUs"));
}

TEST_F(Shares, AreDevicesOfTheirOwn) {
  divide("2");
  EXPECT_EQ(share_of("host:1"), 1);
  EXPECT_EQ(share_of("host"), std::nullopt);
  EXPECT_THAT(error("host:2"), HasSubstr("host:0 to host:1"));
  std::vector<std::string> ids;
  for (const DeviceStatus& status : make_host_backend()->devices()) ids.push_back(status.id);
  EXPECT_THAT(ids, ElementsAre("host", "host:0", "host:1"));
  EXPECT_EQ(make_host_backend()->open(2)->info().uuid, "host:1");
}

TEST_F(Shares, AreNotThereUnasked) {
  EXPECT_THAT(error("host:0"), HasSubstr("set GRAPHBENCH_HOST_DEVICES=N"));
  for (const char* text : {"0", "x", "-1", "", "1025"}) {
    divide(text);
    EXPECT_THAT(test::error_of([] { shares(); }).what(), HasSubstr("give a number of devices")) << text;
  }
}

}  // namespace
}  // namespace graphbench::host
