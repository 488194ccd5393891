// Tests what needs no GPU: devices() reports absent hardware, libraries are opened when they are needed,
// error codes are mapped, the module loads, and the code asks cuDNN only for the shapes that its version
// computes correctly.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "graphs/cuda/cuda_device.hpp"
#include "graphs/cuda/cudnn_library.hpp"
#include "graphs/cuda/ops/sdpa.hpp"
#include "graphs/cuda/runtime_names.hpp"
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

TEST(CudaModuleTest, LoadsWithoutTheLibrariesOfAToolkit) {
  ASSERT_NE(dlopen(GRAPHBENCH_CUDA_MODULE, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  for (const std::string file : {"libcublasLt.so.12", "libcublasLt.so.13", "libcudnn.so.9", "libcuda.so.1"})
    EXPECT_EQ(open_library(file, LibrarySearch::loaded).handle, nullptr) << file;
}

TEST(CudnnTest, OfAnotherCudaIsNotUsed) {
  EXPECT_EQ(why_not_cudnn_of(CUDART_VERSION), "");
  EXPECT_EQ(why_not_cudnn_of(cuda_major * 1000 + 990), "");
  const int other = cuda_major == 13 ? 12 : 13;
  EXPECT_EQ(why_not_cudnn_of(static_cast<std::size_t>(other) * 1000 + 80),
            "libcudnn.so.9 is of CUDA " + std::to_string(other) + ", this module of CUDA " +
                std::to_string(cuda_major));
}

TEST(RuntimeNamesTest, WhatNeedsANewerCudaSaysWhichOnesAreHere) {
  const Error error = test::error_of([] { require_cuda(99000, "a node"); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_EQ(std::string(error.what()).rfind("a node needs CUDA 99.0: the driver runs CUDA ", 0), 0u)
      << error.what();
}

constexpr std::size_t sound_version = 91900;

// The defaults: prefill of four sequences of 128 tokens. Each test changes some of them.
struct Asked {
  ir::DType dtype = ir::DType::bf16;
  std::int64_t tokens = 128, head_dim = 64, slots = 128;
  bool causal = true;
};

bool takes(const Asked& asked, std::size_t version = sound_version) {
  SdpaShape shape;
  shape.batch = 4;
  shape.heads = 16;
  shape.tokens = asked.tokens;
  shape.head_dim = asked.head_dim;
  shape.slots = asked.slots;
  shape.causal = asked.causal;
  shape.dtype = asked.dtype;
  return cudnn_takes_sdpa(version, shape);
}

TEST(SdpaRulesTest, CudnnIsAskedForPrefillInSixteenBitsWithHeadsThatItHas) {
  EXPECT_TRUE(takes({}));
  EXPECT_TRUE(takes({.dtype = ir::DType::fp16}));
  EXPECT_FALSE(takes({.dtype = ir::DType::fp32}));
  EXPECT_FALSE(takes({.tokens = 1}));
  EXPECT_FALSE(takes({.head_dim = 36}));
  EXPECT_FALSE(takes({.head_dim = 256}));
  EXPECT_TRUE(takes({.head_dim = 40}));
}

TEST(SdpaRulesTest, VersionsKnownToBeBrokenAreNotAsked) {
  EXPECT_FALSE(takes({}, 91000));
  EXPECT_FALSE(takes({}, 91001));
  EXPECT_TRUE(takes({}, 91002));
  EXPECT_FALSE(takes({.slots = 200}, 90501)) << "a shifted mask";
  EXPECT_TRUE(takes({.slots = 200}, 90600));
  EXPECT_TRUE(takes({.slots = 200, .causal = false}, 90501));
  EXPECT_TRUE(takes({.slots = 1025, .causal = false}, 91200));
  EXPECT_FALSE(takes({.slots = 1025, .causal = false}, 91300));
  EXPECT_FALSE(takes({.slots = 1025, .causal = false}, 91400));
  EXPECT_TRUE(takes({.slots = 1025, .causal = false}, 91500));
  EXPECT_TRUE(takes({.slots = 1024, .causal = false}, 91400));
}

}  // namespace
}  // namespace graphbench::cuda
