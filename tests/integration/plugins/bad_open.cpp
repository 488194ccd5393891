// Plugins with a wrong record or a wrong entry point, so that no workload can be built.
#include <cstdlib>
#include <stdexcept>

#include "tests/integration/plugins/test_plugin.hpp"

namespace {

using namespace test_plugin;

int build_relu(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void*) {
  return build_chain(request, builder, api, "softmax", false);
}

constexpr gb_plugin bad_plugin() {
  gb_plugin plugin = plugin_of<build_relu>();
  if (kCase == "wrong_version") plugin.abi_version = GB_ABI_VERSION - 1;
  return plugin;
}
constexpr gb_plugin kPlugin = bad_plugin();

int open_plugin(const gb_plugin** plugin, char* error, std::size_t error_size) {
  if constexpr (kCase == "open_error") {
    say(error, error_size, "the licence has\nexpired");
    return 3;
  }
  if constexpr (kCase == "open_throw") throw std::runtime_error("open threw this");
  if constexpr (kCase == "open_crash") crash();
  if constexpr (kCase == "open_hang") hang();
  if constexpr (kCase == "open_exit") std::exit(0);
  if constexpr (kCase != "null_record") *plugin = &kPlugin;
  return 0;
}

}  // namespace

// `missing_entry` exports no symbol that graphbench knows.
extern "C" GB_EXPORT int some_other_entry(const gb_plugin** plugin, char* error, std::size_t error_size) {
  return open_plugin(plugin, error, error_size);
}

#if !defined(GRAPHBENCH_TEST_NO_ENTRY)
extern "C" GB_EXPORT int graphbench_plugin_open(std::uint32_t, const gb_plugin** plugin, char* error,
                                                std::size_t error_size) {
  return open_plugin(plugin, error, error_size);
}
#endif
