// Finds backends, lists their devices and opens devices by name. Loads a backend's module, and checks its
// identity before any of its types is used.
#include "graphs/backends/registry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "graphs/backends/cuda_driver.hpp"
#include "graphs/backends/cuda_module.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/library_search.hpp"
#include "graphs/base/text.hpp"
#include "graphs/device/backend_module.hpp"
#include "graphs/host/cpu.hpp"

namespace graphbench {
namespace {

std::string environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

// Loads a module only if there is a driver: the module needs it, and cuBLASLt takes long to load.
ModuleResult load_cuda_module(Work work) {
  const CudaDriver& driver = cuda_driver();
  if (!driver.status.detail.empty()) return {nullptr, driver.status.detail, driver.status.advice};
  CudaModules modules;
  modules.built = cuda_modules_in(module_directory());
  modules.driver_version = driver.version;
  modules.asked = environment(cuda_module_variable);
  modules.has_libraries = [](int major) {
    const std::string file = "libcublasLt.so." + std::to_string(major);
    return open_library(file, LibrarySearch::everywhere).handle != nullptr;
  };
  if (work == Work::lent_step) modules.lent = loaded_cuda_major().value_or(0);
  const CudaModuleChoice choice = choose_cuda_module(modules);
  if (choice.major == 0)
    return {nullptr, choice.failure + (modules.built.empty() ? " in " + module_directory() : ""),
            choice.advice};
  return load_backend_module(module_directory() + "/" + cuda_module_file(choice.major));
}

// The first call decides. Never destroyed: devices may live until the last static destructor runs, and each
// needs its backend.
const ModuleResult& cuda_module(Work work = Work::programs) {
  static const ModuleResult* const loaded = new ModuleResult(load_cuda_module(work));
  return *loaded;
}

std::vector<DeviceStatus> cuda_devices(Work work) {
  const ModuleResult& module = cuda_module(work);
  if (!cuda_driver().status.detail.empty()) return {cuda_driver().status};
  std::vector<DeviceStatus> statuses = {{.id = "cuda", .detail = module.failure, .advice = module.advice}};
  if (module.backend != nullptr) statuses = module.backend->devices();
  for (DeviceStatus& status : statuses) {
    if (status.id == "cuda" && !status.absent) status = unless_there_is_no_gpu(std::move(status));
  }
  return statuses;
}

const ModuleResult& host_module() {
  static const ModuleResult* const loaded =
      new ModuleResult(load_backend_module(own_directory() + "/graphbench_host.so"));
  return *loaded;
}

// A process with a user's step does not load oneDNN unless it runs on the host.
std::vector<DeviceStatus> host_devices(Work work) {
  if (work == Work::lent_step) return host::device_statuses();
  const ModuleResult& module = host_module();
  if (module.backend != nullptr) return module.backend->devices();
  return {{.id = "host", .detail = module.failure, .advice = module.advice}};
}

// Index 0 is the whole host; index N + 1 is share N.
std::unique_ptr<Device> open_host(int index, Work work) {
  const ModuleResult& module = host_module();
  if (module.backend != nullptr) return module.backend->open(index, work);
  throw Error(ErrorCode::unsupported, "open device host: " + module.failure + " (" + module.advice + ")");
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

std::unique_ptr<Device> open_cuda(std::optional<int> index, Work work) {
  const std::vector<DeviceStatus> statuses = cuda_devices(work);
  const std::string wanted = index ? "cuda:" + std::to_string(*index) : "";
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const DeviceStatus& status = statuses[i];
    if (index && status.id != wanted) continue;
    if (status.available) return cuda_module(work).backend->open(index ? *index : static_cast<int>(i), work);
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

std::vector<DeviceStatus> list_devices(Work work) {
  std::vector<DeviceStatus> all = cuda_devices(work);
  for (DeviceStatus& status : host_devices(work)) all.push_back(std::move(status));
  return all;
}

void load_backend(const std::string& spec, Work work) {
  if (!spec.starts_with("host")) static_cast<void>(cuda_module(work));
}

AutoDevice auto_device(Work work) {
  const std::vector<DeviceStatus> statuses = cuda_devices(work);
  if (std::ranges::any_of(statuses, &DeviceStatus::available)) return {"cuda", ""};
  if (const DeviceStatus* const broken = broken_gpu(statuses))
    throw Error(ErrorCode::unsupported, "open device auto: this machine has a CUDA driver, but " +
                                            broken->id + " cannot be used: " + broken->detail + " (" +
                                            broken->advice + "; or give --device host)");
  return {"host", statuses.front().detail};
}

std::unique_ptr<Device> open_device(const std::string& spec, Work work) {
  if (spec == "auto") return open_device(auto_device(work).spec, work);
  if (spec == "host") return open_host(0, work);
  if (const auto share = host::share_of(spec)) return open_host(*share + 1, work);
  return open_cuda(cuda_index(spec), work);
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
    return failed("a backend's module was not built or not installed: there is no " + path,
                  "install all of graphbench, or build it again; CUDA's modules may also lie in "
                  "GRAPHBENCH_MODULE_DIR");
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return failed("a backend's module could not be loaded: " + take_dl_error(),
                  "install what the linker misses, or add its folder to LD_LIBRARY_PATH");
  }
  ModuleResult result = open_checked(library, path);
  // `result` has copies of all texts, so nothing points into the library when it is closed.
  if (result.backend == nullptr) dlclose(library);
  return result;
}

}  // namespace graphbench
