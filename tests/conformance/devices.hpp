// The devices the suite runs on, and the fixture that opens one or skips with its reason.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "graphs/device/registry.hpp"
#include "tests/support/print.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::conformance {

// Every backend there is, also those that this machine cannot run.
inline const std::string backends[] = {"host", "cuda"};

// The backend's device, opened once a process; null, with `reason` set, where there is none.
Device* shared_device(const std::string& backend, std::string& reason);

// Base of the suite's fixtures: `device()` is open, `stream()` is idle. Skips in SetUp otherwise, so
// that overriders check IsSkipped().
class DeviceFixture : public ::testing::Test {
 protected:
  void open(const std::string& backend);
  Device& device() { return *device_; }
  Stream& stream() { return *stream_; }

 private:
  Device* device_ = nullptr;
  std::unique_ptr<Stream> stream_;
};

// The code of what `call` throws; fails the test where it throws nothing.
template <typename Call>
ErrorCode error_code_of(const Call& call) {
  return test::error_of(call).code();
}

}  // namespace graphbench::conformance
