// Implements the choice of a CUDA module: pure, but for what looks at the folder and at the process.
#include "graphs/backends/cuda_module.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "graphs/backends/cuda_driver.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "graphs/device/backend_module.hpp"

namespace graphbench {
namespace {

constexpr std::array majors = {13, 12};  // newest first

int runtime_major(std::string_view path) {
  constexpr std::string_view name = "libcudart.so.";
  const std::size_t at = path.rfind(name);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = path.substr(at + name.size());
  return to_number<int>(rest.substr(0, rest.find('.'))).value_or(0);
}

int find_runtime(dl_phdr_info* info, std::size_t, void* found) {
  const int major = runtime_major(info->dlpi_name);
  if (major != 0) *static_cast<int*>(found) = major;
  return major != 0 ? 1 : 0;
}

CudaModuleChoice too_old(int driver_version, int major, const std::string& what) {
  return {0,
          "the driver runs CUDA " + cuda_version_text(driver_version) + ", but " + what + " needs " +
              std::to_string(major) + ".0",
          "update the NVIDIA driver to " + driver_release_for(major)};
}

CudaModuleChoice asked_module(const CudaModules& modules) {
  const std::optional<int> major = to_number<int>(modules.asked);
  const std::string named = std::string(cuda_module_variable) + "=" + modules.asked;
  if (!major || !contains(majors, *major))
    throw Error(ErrorCode::invalid_argument,
                std::string(cuda_module_variable) + ": '" + modules.asked + "' is not valid: give 12 or 13");
  if (!contains(modules.built, *major))
    return {0, named + " asks for " + cuda_module_file(*major) + ", which is not here",
            "unset it, or build that module (ci/cuda12)"};
  if (modules.driver_version < *major * 1000)
    return too_old(modules.driver_version, *major, "the module that " + named + " asks for");
  return {*major, "", ""};
}

}  // namespace

CudaModuleChoice choose_cuda_module(const CudaModules& modules) {
  if (!modules.asked.empty()) return asked_module(modules);
  std::vector<int> runnable;
  std::ranges::copy_if(modules.built, std::back_inserter(runnable),
                       [&](int major) { return modules.driver_version >= major * 1000; });
  if (modules.built.empty())
    return {0, "no CUDA module was built or installed",
            "build with a CUDA toolkit (GRAPHBENCH_CUDA=ON), or set GRAPHBENCH_MODULE_DIR to the module's "
            "folder"};
  if (runnable.empty()) {
    CudaModuleChoice none = too_old(modules.driver_version, modules.built.back(), "this build");
    if (!contains(modules.built, majors.back()) && modules.driver_version >= majors.back() * 1000)
      none.advice += ", or use a build that has " + cuda_module_file(majors.back());
    return none;
  }
  if (modules.lent) return {contains(runnable, *modules.lent) ? *modules.lent : runnable.front(), "", ""};
  // With one module there is no choice, and what its libraries lack is said when they are needed.
  if (runnable.size() > 1) {
    const auto complete = std::ranges::find_if(runnable, modules.has_libraries);
    if (complete != runnable.end()) return {*complete, "", ""};
  }
  return {runnable.front(), "", ""};
}

std::string cuda_module_file(int major) {
  return "graphbench_cuda" + std::to_string(major) + ".so";
}

std::vector<int> cuda_modules_in(const std::string& folder) {
  std::vector<int> built;
  std::error_code error;
  for (const int major : majors)
    if (std::filesystem::exists(folder + "/" + cuda_module_file(major), error)) built.push_back(major);
  return built;
}

std::optional<int> loaded_cuda_major() {
  int major = 0;
  dl_iterate_phdr(find_runtime, &major);
  return major != 0 ? std::optional(major) : std::nullopt;
}

}  // namespace graphbench
