// Offers the host, and its shares where it is divided.
#include "graphs/host/host_backend.hpp"

#include <cstdio>

#include "graphs/host/cpu.hpp"
#include "graphs/host/host_device.hpp"
#include "graphs/host/shares.hpp"

namespace graphbench::host {
namespace {

class HostBackend final : public Backend {
 public:
  std::string name() const override { return "host"; }

  std::vector<DeviceStatus> devices() override {
    DeviceStatus status;
    status.id = "host";
    try {
      const double gib = static_cast<double>(HostMemory().info().total_bytes) / (1024.0 * 1024.0 * 1024.0);
      char memory[32];
      std::snprintf(memory, sizeof(memory), "%.1f GiB", gib);
      status.available = true;
      status.dtypes = supported_dtypes(HostDevice::takes);
      status.detail = cpu_name() + ", " + std::to_string(usable_cores()) + " cores, " + memory;
    } catch (const Error& error) {
      status.detail = error.what();
      status.advice = std::string("unset ") + memory_limit_variable + " or correct it";
    }
    std::vector<DeviceStatus> all = {status};
    for (int share = 0; share < shares(); ++share) {
      all.push_back(status);
      all.back().id += ":" + std::to_string(share);
      all.back().detail = "a part of the CPUs of host";
    }
    return all;
  }

  // 0: the whole host; then its shares, whose CPUs the process has been given.
  std::unique_ptr<Device> open(int index) override {
    if (index < 0 || index > shares())
      throw Error(ErrorCode::invalid_argument,
                  "open host device " + std::to_string(index) + ": there is none");
    return std::make_unique<HostDevice>(index == 0 ? "" : "host:" + std::to_string(index - 1));
  }
};

}  // namespace

std::unique_ptr<Backend> make_host_backend() {
  return std::make_unique<HostBackend>();
}

}  // namespace graphbench::host
