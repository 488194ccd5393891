// Opens a plugin's shared library and calls its entry point.
#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "graphs/abi/guard.hpp"
#include "graphs/abi/plugin.hpp"
#include "graphs/abi/records.hpp"
#include "graphs/abi/text.hpp"
#include "graphs/base/error.hpp"

namespace graphbench::abi {
namespace {

constexpr std::size_t kReasonBytes = 1024;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::plugin_failed, plugin_label(path) + ": " + why);
}

std::string last_loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "the loader gave no reason" : printable(text);
}

// The file's absolute path: dlopen searches the library path for a name without a slash, and would
// find another file than the one the user named.
std::string existing_file(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found) refuse(path, "no such file");
  if (failed) refuse(path, "cannot be read: " + failed.message());
  if (status.type() != std::filesystem::file_type::regular) refuse(path, "is not a regular file");
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  if (failed) refuse(path, "has no absolute path: " + failed.message());
  return absolute.string();
}

// The library stays open for the process's life: programs and graphs hold pointers into it, and a
// library with static destructors or thread-locals does not survive being closed early.
gb_plugin_open_fn entry_point(const std::string& path) {
  const std::string file = existing_file(path);
  void* library =
      guarded(plugin_label(path) + ": loading", [&] { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); });
  if (library == nullptr) refuse(path, "cannot be loaded as a shared library: " + last_loader_error());
  void* symbol = dlsym(library, GB_PLUGIN_OPEN_SYMBOL);
  if (symbol == nullptr) {
    refuse(path, "does not export " GB_PLUGIN_OPEN_SYMBOL ", so it is no graphbench plugin");
  }
  return reinterpret_cast<gb_plugin_open_fn>(symbol);
}

}  // namespace

void WorkloadRegistry::load(const std::string& path) {
  const gb_plugin_open_fn open = entry_point(path);
  std::array<char, kReasonBytes> reason{};
  const gb_plugin* plugin = nullptr;
  const int status = guarded(plugin_label(path) + ": " GB_PLUGIN_OPEN_SYMBOL,
                             [&] { return open(GB_ABI_VERSION, &plugin, reason.data(), reason.size()); });
  reason.back() = '\0';
  if (status != 0) {
    refuse(path, GB_PLUGIN_OPEN_SYMBOL " returned " + std::to_string(status) + ": " +
                     (reason.front() == '\0' ? "it gave no reason" : printable(reason.data())));
  }
  if (plugin == nullptr) refuse(path, GB_PLUGIN_OPEN_SYMBOL " returned 0 without a plugin record");
  add(*plugin, path);
}

}  // namespace graphbench::abi
