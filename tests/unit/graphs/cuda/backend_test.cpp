// What must hold without a GPU too: absent hardware is an answer, codes are mapped, and the module loads.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "graphs/cuda/cuda_device.hpp"
#include "graphs/cuda/status.hpp"
#include "graphs/device/backend_module.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::cuda {
namespace {

TEST(CudaBackendTest, AbsentHardwareIsAnAnswerWithAdvice) {
  CudaBackend backend;
  const std::vector<DeviceStatus> statuses = backend.devices();
  ASSERT_FALSE(statuses.empty());
  for (const DeviceStatus& status : statuses) {
    EXPECT_EQ(status.id.rfind("cuda", 0), 0u);
    EXPECT_FALSE(status.detail.empty());
    EXPECT_EQ(status.advice.empty(), status.available);
  }
}

TEST(CudaBackendTest, OpeningADeviceThatIsNotThereSaysWhy) {
  const Error error = test::error_of([&] { CudaBackend().open(4711); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_NE(std::string(error.what()).find("cuda:4711"), std::string::npos) << error.what();
}

TEST(CudaStatusTest, CaptureErrorsKeepTheirReasons) {
  const ErrorCode expected[] = {
      ErrorCode::capture_unsupported, ErrorCode::capture_invalidated, ErrorCode::capture_merge,
      ErrorCode::capture_unmatched,   ErrorCode::capture_unjoined,    ErrorCode::capture_isolation,
      ErrorCode::capture_implicit,    ErrorCode::captured_event,      ErrorCode::capture_wrong_thread,
      ErrorCode::graph_timeout,       ErrorCode::graph_update_failed};
  for (int i = 0; i <= 10; ++i) EXPECT_EQ(code_of(static_cast<cudaError_t>(900 + i)), expected[i]) << 900 + i;
}

TEST(CudaStatusTest, StickyErrorsMeanALostDevice) {
  for (const int status : {214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719})
    EXPECT_EQ(code_of(static_cast<cudaError_t>(status)), ErrorCode::device_lost) << status;
  EXPECT_EQ(code_of(cudaErrorMemoryAllocation), ErrorCode::out_of_memory);
  EXPECT_EQ(code_of(cudaErrorInvalidValue), ErrorCode::device_failed);
}

TEST(CudaStatusTest, ErrorsNameOperationAndObject) {
  const Error error = test::error_of([&] { check(cudaErrorIllegalAddress, "launch", "layer3.up"); });
  EXPECT_EQ(std::string(error.what()).rfind("launch layer3.up: cudaErrorIllegalAddress (700)", 0), 0u)
      << error.what();
}

TEST(CudaModuleTest, ExportsABackendOfThisBuild) {
  void* module = dlopen(GRAPHBENCH_CUDA_MODULE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(module, nullptr) << dlerror();
  const auto identity = reinterpret_cast<BackendIdentityFn>(dlsym(module, backend_identity_symbol));
  const auto open = reinterpret_cast<BackendOpenFn>(dlsym(module, backend_module_symbol));
  ASSERT_NE(identity, nullptr);
  ASSERT_NE(open, nullptr);
  EXPECT_STREQ(identity(), build_identity());
  const std::unique_ptr<Backend> backend(open());
  EXPECT_EQ(backend->name(), "cuda");
  EXPECT_FALSE(backend->devices().empty());
}

}  // namespace
}  // namespace graphbench::cuda
