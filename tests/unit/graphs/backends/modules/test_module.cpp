// Defines a backend module for tests. The build compiles it once as a valid module and once per defect.
#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "graphs/device/backend_module.hpp"

namespace {

class TestBackend final : public graphbench::Backend {
 public:
  std::string name() const override { return "test"; }
  std::vector<graphbench::DeviceStatus> devices() override {
    static const char anchor = 0;
    Dl_info here{};  // the file, by which a test tells which module was taken
    dladdr(&anchor, &here);
    return {{"cuda:0", false, "a test module, " + std::string(here.dli_fname), "none"}};
  }
  std::unique_ptr<graphbench::Device> open(int, graphbench::Work) override {
    throw graphbench::Error(graphbench::ErrorCode::unsupported, "open test device: there is none");
  }
};

}  // namespace

#if !defined(TEST_MODULE_NO_SYMBOLS)
extern "C" const char* graphbench_backend_identity() {
#if defined(TEST_MODULE_OTHER_IDENTITY)
  return "9.9.9 another compiler";
#else
  return graphbench::build_identity();
#endif
}

extern "C" graphbench::Backend* graphbench_backend_open() {
#if defined(TEST_MODULE_THROWS)
  throw std::runtime_error("the driver is on holiday");
#elif defined(TEST_MODULE_RETURNS_NULL)
  return nullptr;
#else
  return new TestBackend;
#endif
}
#else
graphbench::Backend* unreachable_backend() {
  return new TestBackend;
}
#endif
