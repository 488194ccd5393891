// The fixtures of the suite. They open a backend's device, and apply the backend's list of exceptions.
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

// The backend's device, opened once per process. Null if the machine has none; `reason` then says why.
Device* shared_device(const std::string& backend, std::string& reason);

// Base of the suite's fixtures: `device()` is open, `stream()` is idle. open() skips a test that the backend
// does not run, so a SetUp() that does more must check IsSkipped() first.
class DeviceFixture : public ::testing::Test {
 protected:
  void open(const std::string& backend);
  void open(const std::string& backend, ir::DType dtype);
  void TearDown() override;  // fails if the test was expected to fail and did not
  Device& device() { return *device_; }
  Stream& stream() { return *stream_; }
  Rig rig_of(ir::Program program, std::int64_t largest_batch) {
    return {device(), stream(), std::move(program), largest_batch};
  }

 private:
  Device* device_ = nullptr;
  std::unique_ptr<Stream> stream_;
  // Null unless the test is expected to fail. Then reporter_ collects its failures in failures_ instead.
  const Exception* expected_failure_ = nullptr;
  ::testing::TestPartResultArray failures_;
  std::optional<::testing::ScopedFakeTestPartResultReporter> reporter_;
};

class BackendFixture : public DeviceFixture, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override { open(GetParam()); }
};
inline std::string name_of_backend(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

// A BackendFixture with four buffers, filled with zeros.
class BufferFixture : public BackendFixture {
 protected:
  static constexpr std::size_t bytes = 4096;

  void SetUp() override;
  void* at(std::size_t i) { return buffers_[i].data(); }
  int byte_at(std::size_t i);

 private:
  Buffer buffers_[4];
};

// Returns the code of the Error that `call` throws. Fails the test if it throws none.
template <typename Call>
ErrorCode error_code_of(const Call& call) {
  return test::error_of(call).code();
}

}  // namespace graphbench::conformance
