// Loads a backend module and checks its identity before any of its types is touched.
#include "graphs/backends/module.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "graphs/device/backend_module.hpp"

namespace graphbench {
namespace {

ModuleResult failed(std::string failure, std::string advice) {
  return {nullptr, std::move(failure), std::move(advice)};
}

// dlerror() holds the text of the last failure of this thread, once.
std::string take_dl_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error of the dynamic linker";
}

constexpr const char* rebuild_advice = "build binary and module together, from one source tree";

// Checks an opened library and asks it for its backend.
ModuleResult open_checked(void* library, const std::string& path) {
  const auto identity = reinterpret_cast<BackendIdentityFn>(dlsym(library, backend_identity_symbol));
  const auto open = reinterpret_cast<BackendOpenFn>(dlsym(library, backend_module_symbol));
  if (identity == nullptr || open == nullptr) {
    return failed(path + " is no backend module: it lacks " +
                      (identity == nullptr ? backend_identity_symbol : backend_module_symbol),
                  rebuild_advice);
  }
  const char* theirs = identity();
  if (theirs == nullptr || std::strcmp(theirs, build_identity()) != 0) {
    return failed(path + " is of another build: it says \"" + (theirs != nullptr ? theirs : "") +
                      "\", this binary is \"" + build_identity() + "\"",
                  rebuild_advice);
  }
  ModuleResult result;
  try {
    result.backend.reset(open());
  } catch (const std::exception& error) {
    return failed(path + " failed to open: " + error.what(), "");
  }
  if (result.backend == nullptr) return failed(path + " gave no backend", rebuild_advice);
  return result;
}

}  // namespace

std::string module_directory() {
  const char* chosen = std::getenv("GRAPHBENCH_MODULE_DIR");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  std::error_code error;
  const std::filesystem::path binary = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return "lib/graphbench";
  return (binary.parent_path().parent_path() / "lib" / "graphbench").string();
}

ModuleResult load_backend_module(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return failed(
        "the CUDA module was not built or not installed: there is no " + path,
        "build with a CUDA toolkit (GRAPHBENCH_CUDA=ON), or name its folder in GRAPHBENCH_MODULE_DIR");
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return failed("the CUDA module could not be loaded: " + take_dl_error(),
                  "install the CUDA libraries it names (cuBLAS of the toolkit it was built with), or add "
                  "their folder to LD_LIBRARY_PATH");
  }
  ModuleResult result = open_checked(library, path);
  // The reason was copied: nothing of a refused module is used any more.
  if (result.backend == nullptr) dlclose(library);
  return result;
}

}  // namespace graphbench
