// Opens a library at run time: NVML belongs to the driver, CUPTI to the toolkit, and a machine may have
// neither. Does not throw if the library or a function is missing, but stores the reason as a sentence.
#pragma once

#include <dlfcn.h>

#include <string>
#include <utility>
#include <vector>

#include "graphs/base/library_search.hpp"

namespace graphbench::cuda {

// Never closes the library, because a driver's library leaves threads and handlers that need its code.
// Copies share the handle.
class DynamicLibrary {
 public:
  // Opens the first of `files` that can be opened. `name` is for messages.
  DynamicLibrary(std::string name, const std::vector<std::string>& files) : name_(std::move(name)) {
    for (const std::string& file : files) {
      handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
    }
    const char* text = dlerror();
    why_ = name_ + " could not be opened: " + (text != nullptr ? text : "unknown error");
  }

  DynamicLibrary(std::string name, FoundLibrary found)
      : name_(std::move(name)),
        handle_(found.handle),
        why_(handle_ == nullptr ? name_ + ": " + found.why : "") {}

  bool is_open() const noexcept { return handle_ != nullptr; }
  // Why the library cannot be used; empty if it can.
  const std::string& why() const noexcept { return why_; }

  template <typename Function>
  void look_up(const char* symbol, Function& function) {
    if (handle_ == nullptr) return;
    function = reinterpret_cast<Function>(dlsym(handle_, symbol));
    if (function == nullptr && why_.empty()) why_ = name_ + " lacks " + symbol + ": the library is too old";
  }

 private:
  std::string name_;
  void* handle_ = nullptr;
  std::string why_;
};

template <typename Functions>
struct Opened {
  Functions library;
  std::string why;

  const Functions* usable(std::string& why_not) const {
    why_not = why;
    return why.empty() ? &library : nullptr;
  }
};

}  // namespace graphbench::cuda
