// Finds libcupti: the toolkit's own folder for it is on few machines' search path.
#include "graphs/cuda/profiling/cupti_library.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace graphbench::cuda {
namespace {

struct Opened {
  CuptiLibrary library;
  std::string why;  // empty where the library can be used
};

template <typename Function>
void look_up(void* handle, const char* name, Function& function, Opened& opened) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr && opened.why.empty()) opened.why = std::string("libcupti lacks ") + name;
}

// The version that belongs to the CUDA runtime this module was built with comes first: another one may
// not know the running driver.
void* open_library() {
  const std::string versioned = "libcupti.so." + std::to_string(CUDART_VERSION / 1000);
  for (const std::string& folder : {std::string(), std::string("/usr/local/cuda/extras/CUPTI/lib64/"),
                                    std::string("/usr/local/cuda/lib64/")}) {
    for (const std::string& name : {versioned, std::string("libcupti.so")}) {
      if (void* handle = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    }
  }
  return nullptr;
}

Opened open() {
  Opened opened;
  void* handle = open_library();
  if (handle == nullptr) {
    const char* text = dlerror();
    opened.why = std::string("CUPTI could not be opened: ") + (text != nullptr ? text : "unknown error") +
                 "; install it with the CUDA toolkit, or add its folder to LD_LIBRARY_PATH";
    return opened;
  }
  CuptiLibrary& library = opened.library;
  look_up(handle, "cuptiGetVersion", library.get_version, opened);
  look_up(handle, "cuptiGetResultString", library.get_result_string, opened);
  look_up(handle, "cuptiGetTimestamp", library.get_timestamp, opened);
  look_up(handle, "cuptiActivityRegisterCallbacks", library.register_callbacks, opened);
  look_up(handle, "cuptiActivityEnable", library.enable, opened);
  look_up(handle, "cuptiActivityDisable", library.disable, opened);
  look_up(handle, "cuptiActivityFlushAll", library.flush_all, opened);
  look_up(handle, "cuptiActivityGetNextRecord", library.next_record, opened);
  look_up(handle, "cuptiActivityGetNumDroppedRecords", library.dropped_records, opened);
  return opened;
}

}  // namespace

const CuptiLibrary* cupti_library(std::string& why) {
  static const Opened opened = open();
  why = opened.why;
  return opened.why.empty() ? &opened.library : nullptr;
}

}  // namespace graphbench::cuda
