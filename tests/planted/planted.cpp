// The base workloads as planted_mlp, planted_attention and planted_conv, which the environment variable
// GRAPHBENCH_PLANTED slows down by one more op at the end of the step: a change that a verdict must find.
//
// GRAPHBENCH_PLANTED="1=6000,256=9000": at batch 1 the op lasts 6,000 clock cycles (on the host device,
// nanoseconds), at 256 it lasts 9,000; at any other batch, and without the variable, there is no op to run.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "graphs/abi/graphbench_abi.h"
#include "tests/planted/pause.hpp"
#include "workloads/builtin_plugins.h"

namespace {

// What the variable says, by batch.
const std::map<std::int64_t, std::int64_t>& planted() {
  static const auto table = [] {
    std::map<std::int64_t, std::int64_t> found;
    const char* text = std::getenv("GRAPHBENCH_PLANTED");
    while (text != nullptr && *text != '\0') {
      char* end = nullptr;
      const std::int64_t batch = std::strtoll(text, &end, 10);
      if (*end != '=') break;
      found[batch] = std::strtoll(end + 1, &end, 10);
      text = *end == ',' ? end + 1 : end;
    }
    return found;
  }();
  return table;
}

std::int64_t length_at(const gb_op_call* call) {
  const auto found = planted().find(call->batch);
  return found == planted().end() ? 0 : found->second;
}

int pause_cuda([[maybe_unused]] const gb_op_call* call, void* const*, [[maybe_unused]] void* stream, void*) {
#if defined(GRAPHBENCH_PLANTED_CUDA)
  const std::int64_t cycles = length_at(call);
  return cycles > 0 ? planted_pause_cuda(cycles, stream) : 0;
#else
  return 1;
#endif
}

int pause_host(const gb_op_call* call, void* const*, void*) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(length_at(call));
  while (std::chrono::steady_clock::now() < until) {
  }
  return 0;
}

std::int32_t infer(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t, gb_inferred*, char*,
                   std::size_t, void*) {
  return 0;
}

const gb_op kPause = {sizeof(gb_op), 0, "pause", 0, infer, pause_cuda, pause_host, nullptr};

// A base workload's build() with one op more in front of its output.
const gb_builder_api* real_api = nullptr;

std::int32_t mark_output(gb_builder* builder, std::int32_t value) {
  if (!planted().empty() && real_api->op(builder, "pause", "planted", &value, 1, nullptr, 0, nullptr, 0) < 0)
    return -1;
  return real_api->mark_output(builder, value);
}

int build(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void* user) {
  const auto* base = static_cast<const gb_workload*>(user);
  real_api = api;
  gb_builder_api planting = *api;
  planting.mark_output = mark_output;
  return base->build(request, builder, &planting, base->user);
}

struct Planted {
  std::array<std::string, 3> names;
  std::array<gb_workload, 3> workloads{};
  std::array<const gb_workload*, 3> pointers{};
  std::array<const gb_op*, 1> ops{&kPause};
  gb_plugin plugin{};

  Planted() {
    const std::array<const gb_plugin*, 3> bases = {gb_builtin_mlp(), gb_builtin_attention(),
                                                   gb_builtin_conv()};
    for (std::size_t i = 0; i < bases.size(); ++i) {
      const gb_workload* base = bases[i]->workloads[0];
      names[i] = std::string("planted_") + base->name;
      workloads[i] = *base;
      workloads[i].name = names[i].c_str();
      workloads[i].build = build;
      workloads[i].user = const_cast<gb_workload*>(base);
      pointers[i] = &workloads[i];
    }
    plugin = {sizeof(gb_plugin), GB_ABI_VERSION, "planted", "1", pointers.data(), ops.data(), 3, 1};
  }
};

}  // namespace

extern "C" GB_EXPORT int graphbench_plugin_open(std::uint32_t host_abi_version, const gb_plugin** plugin,
                                                char* error, std::size_t error_size) {
  if (host_abi_version != GB_ABI_VERSION) {
    std::snprintf(error, error_size, "built for ABI version %u, graphbench has %u", GB_ABI_VERSION,
                  host_abi_version);
    return 1;
  }
  static const Planted record;
  *plugin = &record.plugin;
  return 0;
}
