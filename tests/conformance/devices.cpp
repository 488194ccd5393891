// Opens each device once: a CUDA context takes a second that every test would pay again.
#include "tests/conformance/devices.hpp"

#include <cstdlib>
#include <map>

namespace graphbench::conformance {
namespace {

struct Opened {
  std::unique_ptr<Device> device;
  std::string reason;
};

Opened open_backend(const std::string& backend) {
  Opened opened;
  // A budget makes the host device's free memory its own affair: what is free on the whole machine
  // changes with everything else that runs on it.
  if (backend == "host") setenv("GRAPHBENCH_HOST_MEMORY_BYTES", "1073741824", 0);
  try {
    opened.device = open_device(backend);
  } catch (const Error& error) {
    opened.reason = error.what();
  }
  return opened;
}

}  // namespace

Device* shared_device(const std::string& backend, std::string& reason) {
  static std::map<std::string, Opened> devices;
  auto found = devices.find(backend);
  if (found == devices.end()) found = devices.emplace(backend, open_backend(backend)).first;
  reason = found->second.reason;
  return found->second.device.get();
}

void DeviceFixture::open(const std::string& backend) {
  std::string reason;
  device_ = shared_device(backend, reason);
  if (device_ == nullptr) GTEST_SKIP() << reason;
  stream_ = device_->make_stream();
}

}  // namespace graphbench::conformance
