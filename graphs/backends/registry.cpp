// Finds backends, lists their devices and opens devices by name. Loads a backend's module, and checks its
// identity before any of its types is used.
#include "graphs/backends/registry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "graphs/device/backend_module.hpp"
#include "graphs/host/cpu.hpp"
#include "graphs/host/host_device.hpp"

namespace graphbench {
namespace {

// Loads the module only if a driver is installed: the module needs it, and cuBLASLt takes long to load.
ModuleResult load_cuda_module() {
  if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    return {nullptr, "no NVIDIA driver is installed (libcuda.so.1 not found)",
            "install an NVIDIA driver; in a container, pass the GPU through"};
  }
  return load_backend_module(module_directory() + "/graphbench_cuda.so");
}

// Never destroyed: devices may live until the last static destructor runs, and each needs its backend.
const ModuleResult& cuda_module() {
  static const ModuleResult* const loaded = new ModuleResult(load_cuda_module());
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

// Returns nothing for "cuda" and 3 for "cuda:3"; throws for any other text.
std::optional<int> cuda_index(const std::string& spec) {
  if (spec == "cuda") return std::nullopt;
  constexpr std::string_view prefix = "cuda:";
  if (spec.starts_with(prefix)) {
    const std::optional<int> index = to_number<int>(std::string_view(spec).substr(prefix.size()));
    if (index && *index >= 0) return index;
  }
  throw Error(ErrorCode::invalid_argument,
              "open device: \"" + spec + "\" is not a device; use auto, host, cuda or cuda:N");
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
                                          ": this machine does not have that device; devices here: " +
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

namespace {

ModuleResult failed(std::string failure, std::string advice) {
  return {nullptr, std::move(failure), std::move(advice)};
}

// dlerror() also clears the text, so a second call would not return it.
std::string take_dl_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error of the dynamic linker";
}

constexpr const char* rebuild_advice = "build the binary and the module together, from one source tree";

ModuleResult open_checked(void* library, const std::string& path) {
  const auto identity = reinterpret_cast<BackendIdentityFn>(dlsym(library, backend_identity_symbol));
  const auto open = reinterpret_cast<BackendOpenFn>(dlsym(library, backend_module_symbol));
  if (identity == nullptr || open == nullptr) {
    return failed(path + " is not a backend module: the file does not export " +
                      (identity == nullptr ? backend_identity_symbol : backend_module_symbol),
                  rebuild_advice);
  }
  const char* theirs = identity();
  if (theirs == nullptr || std::strcmp(theirs, build_identity()) != 0) {
    return failed(path + " belongs to another build: the module is \"" + (theirs != nullptr ? theirs : "") +
                      "\", but this binary is \"" + build_identity() + "\"",
                  rebuild_advice);
  }
  ModuleResult result;
  try {
    result.backend.reset(open());
  } catch (const std::exception& error) {
    return failed(path + " failed to open: " + error.what(), "");
  }
  if (result.backend == nullptr) return failed(path + " did not create a backend", rebuild_advice);
  return result;
}

}  // namespace

ModuleResult load_backend_module(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return failed("the CUDA module was not built or not installed: there is no " + path,
                  "build with a CUDA toolkit (GRAPHBENCH_CUDA=ON), or set GRAPHBENCH_MODULE_DIR to the "
                  "module's folder");
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return failed(
        "the CUDA module could not be loaded: " + take_dl_error(),
        "install the CUDA libraries that it needs (cuBLAS of the toolkit it was built with), or add "
        "their folder to LD_LIBRARY_PATH");
  }
  ModuleResult result = open_checked(library, path);
  // `result` has copies of all texts, so nothing points into the library when it is closed.
  if (result.backend == nullptr) dlclose(library);
  return result;
}

}  // namespace graphbench
