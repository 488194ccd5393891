// Finds backends, lists what they offer and opens devices by name.
#include "graphs/backends/registry.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "graphs/backends/module.hpp"
#include "graphs/host/host_backend.hpp"
#include "graphs/host/shares.hpp"

namespace graphbench {
namespace {

// Loaded once a process, on first use. Never destroyed: devices may live until the last static
// destructor, and each needs its backend.
const ModuleResult& cuda_module() {
  static const ModuleResult* const loaded =
      new ModuleResult(load_backend_module(module_directory() + "/graphbench_cuda.so"));
  return *loaded;
}

std::vector<DeviceStatus> cuda_devices() {
  const ModuleResult& module = cuda_module();
  if (module.backend == nullptr) return {DeviceStatus{"cuda", false, module.failure, module.advice}};
  return module.backend->devices();
}

std::string reason_of(const DeviceStatus& status) {
  return status.advice.empty() ? status.detail : status.detail + " (" + status.advice + ")";
}

// "cuda" -> none, "cuda:3" -> 3; throws for anything else.
std::optional<int> cuda_index(const std::string& spec) {
  if (spec == "cuda") return std::nullopt;
  const std::string prefix = "cuda:";
  int index = 0;
  if (spec.rfind(prefix, 0) == 0 && spec.size() > prefix.size()) {
    const char* end = spec.data() + spec.size();
    const auto [stop, error] = std::from_chars(spec.data() + prefix.size(), end, index);
    if (error == std::errc() && stop == end && index >= 0) return index;
  }
  throw Error(ErrorCode::invalid_argument,
              "open device: \"" + spec + "\" is no device; use auto, host, cuda or cuda:N");
}

std::unique_ptr<Device> open_cuda(std::optional<int> index) {
  const std::vector<DeviceStatus> statuses = cuda_devices();
  const std::string wanted = index ? "cuda:" + std::to_string(*index) : "";
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const DeviceStatus& status = statuses[i];
    if (index && status.id != wanted) continue;
    if (status.available) return cuda_module().backend->open(index ? *index : static_cast<int>(i));
    if (index) throw Error(ErrorCode::unsupported, "open device " + wanted + ": " + reason_of(status));
  }
  if (!index && !statuses.empty()) {
    throw Error(ErrorCode::unsupported, "open device cuda: " + reason_of(statuses.front()));
  }
  std::string offered;
  for (const DeviceStatus& status : statuses)
    offered += (offered.empty() ? "" : "; ") + status.id + ": " + reason_of(status);
  throw Error(ErrorCode::unsupported, "open device " + (index ? wanted : "cuda") +
                                          ": this machine has no such device; it offers " +
                                          (offered.empty() ? "none" : offered));
}

}  // namespace

std::vector<DeviceStatus> list_devices() {
  std::vector<DeviceStatus> all = cuda_devices();
  for (DeviceStatus& status : host::make_host_backend()->devices()) all.push_back(std::move(status));
  return all;
}

void load_backend(const std::string& spec) {
  if (!spec.starts_with("host")) static_cast<void>(cuda_module());
}

std::unique_ptr<Device> open_device(const std::string& spec) {
  if (spec == "auto")
    return open_device(std::ranges::any_of(cuda_devices(), &DeviceStatus::available) ? "cuda" : "host");
  if (spec == "host") return host::make_host_backend()->open(0);
  if (const auto share = host::share_of(spec)) return host::make_host_backend()->open(*share + 1);
  return open_cuda(cuda_index(spec));
}

}  // namespace graphbench
