// Tests which CUDA module a process takes: by driver, by libraries, by a lent step's process, by the
// variable.
#include "graphs/backends/cuda_module.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "graphs/base/error.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench {
namespace {

using ::testing::HasSubstr;

// Both modules, a driver of CUDA 13 and both majors' cuBLASLt: each test changes some of them.
struct Machine {
  std::vector<int> built = {13, 12};
  int driver_version = 13000;
  std::string asked = {};
  std::optional<int> lent = {};
  std::vector<int> libraries = {12, 13};
};

CudaModuleChoice choice(const Machine& machine) {
  const auto has = [&](int major) { return std::ranges::count(machine.libraries, major) > 0; };
  return choose_cuda_module({machine.built, machine.driver_version, machine.asked, machine.lent, has});
}

TEST(CudaModule, IsTheNewestThatTheDriverRuns) {
  EXPECT_EQ(choice({}).major, 13);
  EXPECT_EQ(choice({.driver_version = 13020}).major, 13);
  EXPECT_EQ(choice({.driver_version = 12090}).major, 12);
  EXPECT_EQ(choice({.built = {12}}).major, 12);
}

TEST(CudaModule, IsAnOlderOneWhoseLibraryIsThere) {
  EXPECT_EQ(choice({.libraries = {12}}).major, 12);
  EXPECT_EQ(choice({.libraries = {}}).major, 13) << "what is missing is said when it is needed";
}

TEST(CudaModule, OfALentStepIsThatOfItsProcess) {
  EXPECT_EQ(choice({.lent = 12}).major, 12);
  EXPECT_EQ(choice({.lent = 12, .libraries = {13}}).major, 12) << "such a step needs no library of ours";
  EXPECT_EQ(choice({.driver_version = 12040, .lent = 13}).major, 12);
  EXPECT_EQ(choice({.built = {13}, .lent = 12}).major, 13);
  EXPECT_EQ(choice({.lent = 0, .libraries = {12}}).major, 13);
}

TEST(CudaModule, IsTheOneThatTheVariableNames) {
  EXPECT_EQ(choice({.asked = "12"}).major, 12);
  EXPECT_EQ(choice({.asked = "13", .lent = 12, .libraries = {}}).major, 13);
}

TEST(CudaModule, AskedForAndNotThereIsAReason) {
  const CudaModuleChoice none = choice({.built = {13}, .asked = "12"});
  EXPECT_EQ(none.major, 0);
  EXPECT_THAT(none.failure, HasSubstr("GRAPHBENCH_CUDA_MODULE=12 asks for graphbench_cuda12.so"));
  EXPECT_THAT(choice({.driver_version = 12040, .asked = "13"}).failure, HasSubstr("CUDA 12.4"));
}

TEST(CudaModule, OtherValuesAreRefused) {
  for (const char* value : {"11", "cuda13", "13.0", " 13"}) {
    const Error error = test::error_of([&] { choice({.asked = value}); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("is not valid: give 12 or 13"));
  }
}

TEST(CudaModule, ADriverThatIsTooOldIsNamedWithBothVersions) {
  const CudaModuleChoice none = choice({.built = {13}, .driver_version = 12020});
  EXPECT_EQ(none.major, 0);
  EXPECT_EQ(none.failure, "the driver runs CUDA 12.2, but this build needs 13.0");
  EXPECT_EQ(none.advice,
            "update the NVIDIA driver to 580 or newer, or use a build that has graphbench_cuda12.so");
  EXPECT_EQ(choice({.driver_version = 11080}).advice, "update the NVIDIA driver to 525 or newer");
}

TEST(CudaModule, NoneBuiltIsAReason) {
  EXPECT_THAT(choice({.built = {}}).failure, HasSubstr("no CUDA module was built"));
}

}  // namespace
}  // namespace graphbench
