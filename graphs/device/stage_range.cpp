// Hands spans to NVTX 3, which is a header alone: it opens the library that NVTX_INJECTION64_PATH names, if
// any.
#include "graphs/device/stage_range.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace graphbench {
namespace {

// Null without a profiler.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = nvtxDomainCreateA("graphbench");
  return handle;
}

}  // namespace

StageRange::StageRange(const std::string& name) {
  if (domain() == nullptr) return;
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name.c_str();
  nvtxDomainRangePushEx(domain(), &attributes);
}

StageRange::~StageRange() {
  if (domain() != nullptr) nvtxDomainRangePop(domain());
}

bool StageRange::are_built_in() noexcept {
  return true;
}

}  // namespace graphbench

#else

namespace graphbench {

StageRange::StageRange(const std::string&) {}
StageRange::~StageRange() = default;
bool StageRange::are_built_in() noexcept {
  return false;
}

}  // namespace graphbench

#endif
