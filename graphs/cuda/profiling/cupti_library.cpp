// Finds libcupti: the toolkit's own folder for it is on few machines' search path.
#include "graphs/cuda/profiling/cupti_library.hpp"

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "graphs/cuda/dynamic_library.hpp"

namespace graphbench::cuda {
namespace {

// The version that belongs to the CUDA runtime this module was built with comes first: another one may
// not know the running driver.
std::vector<std::string> files() {
  const std::string versioned = "libcupti.so." + std::to_string(CUDART_VERSION / 1000);
  std::vector<std::string> files;
  for (const char* folder : {"", "/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/"}) {
    for (const std::string& name : {versioned, std::string("libcupti.so")}) files.push_back(folder + name);
  }
  return files;
}

Opened<CuptiLibrary> open() {
  Opened<CuptiLibrary> opened;
  DynamicLibrary file("CUPTI", files());
  CuptiLibrary& library = opened.library;
  file.look_up("cuptiGetVersion", library.get_version);
  file.look_up("cuptiGetResultString", library.get_result_string);
  file.look_up("cuptiGetTimestamp", library.get_timestamp);
  file.look_up("cuptiActivityRegisterCallbacks", library.register_callbacks);
  file.look_up("cuptiActivityEnable", library.enable);
  file.look_up("cuptiActivityDisable", library.disable);
  file.look_up("cuptiActivityFlushAll", library.flush_all);
  file.look_up("cuptiActivityGetNextRecord", library.next_record);
  file.look_up("cuptiActivityGetNumDroppedRecords", library.dropped_records);
  opened.why = file.why();
  if (!file.is_open()) {
    opened.why += "; install it with the CUDA toolkit, or add its folder to LD_LIBRARY_PATH";
  }
  return opened;
}

}  // namespace

const CuptiLibrary* cupti_library(std::string& why) {
  static const Opened<CuptiLibrary> opened = open();
  return opened.usable(why);
}

}  // namespace graphbench::cuda
