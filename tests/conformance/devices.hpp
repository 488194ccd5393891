// The fixture that opens a backend's device, and holds the backend to its list of exceptions.
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "tests/conformance/backends.hpp"
#include "tests/support/print.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/rig.hpp"

namespace graphbench::conformance {

using execution::ExecutionMode;
using test::Bytes;
using test::decode;
using test::Rig;

// The backend's device, opened once a process; null, with `reason` set, where there is none.
Device* shared_device(const std::string& backend, std::string& reason);

// Base of the suite's fixtures: `device()` is open, `stream()` is idle. SetUp skips where the backend does
// not run the test, so that overriders check IsSkipped().
class DeviceFixture : public ::testing::Test {
 protected:
  void open(const std::string& backend);
  void open(const std::string& backend, ir::DType dtype);
  void TearDown() override;  // an expected failure must have failed
  Device& device() { return *device_; }
  Stream& stream() { return *stream_; }
  Rig rig_of(ir::Program program, std::int64_t largest_batch) {
    return {device(), stream(), std::move(program), largest_batch};
  }

 private:
  Device* device_ = nullptr;
  std::unique_ptr<Stream> stream_;
  // Of a test that is expected to fail: what it reported instead of failing.
  const Exception* expected_failure_ = nullptr;
  ::testing::TestPartResultArray failures_;
  std::optional<::testing::ScopedFakeTestPartResultReporter> reporter_;
};

// Of suites that run once on every backend.
class BackendFixture : public DeviceFixture, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override { open(GetParam()); }
};
inline std::string name_of_backend(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

// With memory of a few buffers, all zeros.
class BufferFixture : public BackendFixture {
 protected:
  static constexpr std::size_t bytes = 4096;

  void SetUp() override;
  void* at(std::size_t i) { return buffers_[i].data(); }
  int byte_at(std::size_t i);

 private:
  Buffer buffers_[4];
};

// The code of what `call` throws; fails the test where it throws nothing.
template <typename Call>
ErrorCode error_code_of(const Call& call) {
  return test::error_of(call).code();
}

}  // namespace graphbench::conformance
