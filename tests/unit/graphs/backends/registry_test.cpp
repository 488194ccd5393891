// Tests which backend modules load, the reason why each wrong module does not, and the list of devices.
#include "graphs/backends/registry.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "graphs/backends/cuda_module.hpp"
#include "graphs/base/files.hpp"
#include "graphs/device/backend_module.hpp"
#include "graphs/host/cpu.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench {
namespace {

using ::testing::HasSubstr;

ErrorCode code_of_opening(const std::string& spec) {
  const Error error = test::error_of([&] { open_device(spec); });
  EXPECT_THAT(error.what(), HasSubstr(spec));
  return error.code();
}

TEST(Registry, HostIsAlwaysThere) {
  const std::vector<DeviceStatus> statuses = list_devices();
  ASSERT_GE(statuses.size(), 2u);
  EXPECT_EQ(statuses.back().id, "host");
  EXPECT_TRUE(statuses.back().available);
  EXPECT_EQ(open_device("host")->info().kind, "host");
}

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// A second OpenMP runtime in the process would leave oneDNN as many threads as there are cores.
TEST(Registry, HostKeepsACoreFreeOfTheLibrarysThreads) {
  constexpr std::int64_t size = 256;
  const ir::OpCatalog catalog;
  test::SmallBuilder b(catalog);
  const auto x = b.input("x", test::batched({size})), w = b.weight("w", test::fixed({size, size}));
  const ir::Program program = b.ending_in(b.one("linear", "product", {x, w}));

  const std::unique_ptr<Device> device = open_device("host");
  const auto kernel = device->make_kernel(program.call(0, size));
  const auto stream = device->make_stream();
  std::vector<float> rows(size * size), weights(size * size), products(size * size);
  void* operands[] = {rows.data(), weights.data(), products.data()};
  stream->synchronize();
  const std::ptrdiff_t before = threads_of_this_process();
  kernel->launch(*stream, operands);
  stream->synchronize();
  EXPECT_EQ(threads_of_this_process() - before, std::max(0, host::usable_cores() - 2));
}

TEST(Registry, WhatIsNotAvailableSaysWhy) {
  for (const DeviceStatus& status : list_devices()) {
    EXPECT_NE(status.detail, "") << status.id;
    EXPECT_EQ(status.advice.empty(), status.available) << status.id;
  }
}

TEST(Registry, AutoOpensADeviceThatWorks) {
  EXPECT_NE(open_device("auto"), nullptr);
}

TEST(Registry, OtherWordsAreRefused) {
  for (const char* spec :
       {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda0", "host:0", "cuda:99999999999"}) {
    EXPECT_EQ(code_of_opening(spec), ErrorCode::invalid_argument) << spec;
  }
}

TEST(Registry, ADeviceThatIsNotThereIsUnsupported) {
  EXPECT_EQ(code_of_opening("cuda:4095"), ErrorCode::unsupported);
}

ModuleResult load(const std::string& kind) {
  return load_backend_module(std::string(TEST_MODULE_DIRECTORY) + "/libtest_module_" + kind + ".so");
}

TEST(Module, AModuleOfThisBuildGivesItsBackend) {
  const ModuleResult result = load("good");
  ASSERT_NE(result.backend, nullptr) << result.failure;
  EXPECT_EQ(result.backend->name(), "test");
  EXPECT_EQ(result.failure, "");
}

// Without this test, no test would load the CUDA module on a machine without a driver.
TEST(Module, OursLoads) {
  const std::vector<int> built = cuda_modules_in(module_directory());
  if (built.empty()) GTEST_SKIP() << "built without CUDA";
  for (const int major : built)
    EXPECT_EQ(load_backend_module(module_directory() + "/" + cuda_module_file(major)).failure, "") << major;
}

TEST(Module, AnotherBuildIsRefusedWithBothIdentities) {
  const ModuleResult result = load("other_identity");
  EXPECT_EQ(result.backend, nullptr);
  EXPECT_THAT(result.failure, HasSubstr("9.9.9 another compiler"));
  EXPECT_THAT(result.failure, HasSubstr(build_identity()));
  EXPECT_NE(result.advice, "");
}

TEST(Module, ALibraryWithoutTheEntryPointsIsNoModule) {
  EXPECT_THAT(load("no_symbols").failure, HasSubstr(backend_identity_symbol));
}

TEST(Module, AnExceptionOnOpeningIsAReason) {
  EXPECT_THAT(load("throws").failure, HasSubstr("the driver is on holiday"));
}

TEST(Module, NoBackendIsAReason) {
  EXPECT_THAT(load("returns_null").failure, HasSubstr("did not create a backend"));
}

TEST(Module, AMissingFileIsNamed) {
  const ModuleResult result = load_backend_module("/nonexistent/graphbench_cuda13.so");
  EXPECT_EQ(result.backend, nullptr);
  EXPECT_THAT(result.failure, HasSubstr("/nonexistent/graphbench_cuda13.so"));
  EXPECT_THAT(result.advice, HasSubstr("GRAPHBENCH_MODULE_DIR"));
}

TEST(Module, WhatIsNoLibraryGivesTheLinkersReason) {
  const std::string path = ::testing::TempDir() + "/graphbench_not_a_library.so";
  std::ofstream(path) << "plain text";
  const ModuleResult result = load_backend_module(path);
  EXPECT_EQ(result.backend, nullptr);
  EXPECT_THAT(result.failure, HasSubstr("graphbench_not_a_library.so"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace graphbench
