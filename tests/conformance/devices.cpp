// Opens each device once per process: to open a CUDA context takes a second, which every test would pay.
#include "tests/conformance/devices.hpp"

#include <map>

#include "graphs/backends/registry.hpp"

namespace graphbench::conformance {
namespace {

struct Opened {
  std::unique_ptr<Device> device;
  std::string reason;
};

Opened open_backend(const BackendUnderTest& backend) {
  Opened opened;
  if (backend.prepare != nullptr) backend.prepare();
  try {
    opened.device = open_device(backend.name);
  } catch (const Error& error) {
    opened.reason = error.what();
  }
  return opened;
}

std::string running_test() {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test.test_suite_name()) + "." + test.name();
}

}  // namespace

Device* shared_device(const std::string& backend, std::string& reason) {
  static std::map<std::string, Opened> devices;
  auto found = devices.find(backend);
  if (found == devices.end())
    found = devices.emplace(backend, open_backend(backend_under_test(backend))).first;
  reason = found->second.reason;
  return found->second.device.get();
}

void DeviceFixture::open(const std::string& name) {
  const BackendUnderTest& backend = backend_under_test(name);
  std::string reason;
  device_ = shared_device(name, reason);
  if (device_ == nullptr && !backend.always_there) GTEST_SKIP() << reason;
  ASSERT_NE(device_, nullptr) << reason;
  const Exception* unsupported = find_exception(backend.unsupported, running_test(), *device_);
  if (unsupported != nullptr) GTEST_SKIP() << name << " does not support it: " << unsupported->why;
  stream_ = device_->make_stream();
  expected_failure_ = find_exception(backend.expected_failures, running_test(), *device_);
  if (expected_failure_ == nullptr) return;
  reporter_.emplace(::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures_);
}

void DeviceFixture::open(const std::string& name, ir::DType dtype) {
  open(name);
  if (IsSkipped() || HasFatalFailure()) return;
  ASSERT_TRUE(device_->supports(dtype))
      << name << " refuses " << ir::name_of(dtype) << ", which its list of exceptions does not say";
}

void DeviceFixture::TearDown() {
  if (expected_failure_ == nullptr) return;
  reporter_.reset();
  int failed = 0;
  for (int i = 0; i < failures_.size(); ++i) failed += failures_.GetTestPartResult(i).failed() ? 1 : 0;
  EXPECT_GT(failed, 0) << "it passes: take it off the expected failures (" << expected_failure_->why << ")";
  std::printf("expected failure: %s\n", expected_failure_->why.c_str());
}

void BufferFixture::SetUp() {
  BackendFixture::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  for (Buffer& buffer : buffers_) {
    buffer = Buffer(device(), bytes);
    stream().fill_bytes(buffer.data(), 0, bytes);
  }
  stream().synchronize();
}

int BufferFixture::byte_at(std::size_t i) {
  unsigned char byte = 0;
  stream().copy_to_host(&byte, at(i), 1);
  stream().synchronize();
  return byte;
}

}  // namespace graphbench::conformance
