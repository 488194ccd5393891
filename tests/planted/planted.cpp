// The base workloads as planted_mlp, planted_attention and planted_conv, each slowed down by one more op at
// the end of the step: a change that a verdict must find. GRAPHBENCH_PLANTED="mlp/1=6000,mlp/256=9000": at
// batch 1 of planted_mlp the op lasts 6,000 clock cycles (on the host device, nanoseconds), at 256 it lasts
// 9,000; elsewhere it does nothing. What cannot be read is refused when the plugin is opened.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "graphs/abi/graphbench_abi.h"
#include "tests/planted/pause.hpp"
#include "tests/support/foreign_op.hpp"
#include "workloads/builtin.hpp"

namespace {

// The lengths that the variable gives, by workload and batch ("mlp/1").
using Table = std::map<std::string, std::int64_t>;

bool read_table(const char* text, Table& table) {
  std::istringstream list(text);
  for (std::string entry; std::getline(list, entry, ',');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || entry.find('/') > equals) return false;
    char* end = nullptr;
    const std::int64_t length = std::strtoll(entry.c_str() + equals + 1, &end, 10);
    if (*end != '\0' || length <= 0) return false;
    table[entry.substr(0, equals)] = length;
  }
  return true;
}

Table planted;  // filled when the plugin is opened

// The op is named after its workload.
std::int64_t length_at(const gb_op_call* call) {
  std::string key = call->name;
  key += '/';
  key += std::to_string(call->batch);
  const auto found = planted.find(key);
  return found == planted.end() ? 0 : found->second;
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

gb_op pause_op() {
  gb_op op = graphbench::test::foreign_op("pause", graphbench::test::infer_nothing, pause_host);
  op.launch_cuda = pause_cuda;
  return op;
}
const gb_op kPause = pause_op();

// The build() below gives a base workload's build() this mark_output(), which adds an op before the output.
const gb_builder_api* real_api = nullptr;
const char* building = nullptr;

std::int32_t mark_output(gb_builder* builder, std::int32_t value) {
  if (!planted.empty() && real_api->op(builder, "pause", building, &value, 1, nullptr, 0, nullptr, 0) < 0)
    return -1;
  return real_api->mark_output(builder, value);
}

int build(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void* user) {
  const auto* base = static_cast<const gb_workload*>(user);
  real_api = api;
  building = base->name;
  gb_builder_api planting = *api;
  planting.mark_output = mark_output;
  return base->build(request, builder, &planting, base->user);
}

struct Planted {
  std::array<std::string, 3> names;
  std::array<gb_workload, 3> workloads{};
  std::array<const gb_workload*, 3> pointers{};
  std::array<const gb_op*, 1> ops{&kPause};
  gb_plugin plugin = graphbench::test::empty_plugin("planted");

  Planted() {
    using namespace graphbench::workloads;
    const std::array<const gb_workload*, 3> bases = {&mlp_workload, &attention_workload, &conv_workload};
    for (std::size_t i = 0; i < bases.size(); ++i) {
      const gb_workload* base = bases[i];
      names[i] = std::string("planted_") + base->name;
      workloads[i] = *base;
      workloads[i].name = names[i].c_str();
      workloads[i].build = build;
      workloads[i].user = const_cast<gb_workload*>(base);
      pointers[i] = &workloads[i];
    }
    plugin.workloads = pointers.data();
    plugin.ops = ops.data();
    plugin.workload_count = 3;
    plugin.op_count = 1;
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
  const char* text = std::getenv("GRAPHBENCH_PLANTED");
  if (text != nullptr && !read_table(text, planted)) {
    std::snprintf(error, error_size, "GRAPHBENCH_PLANTED=%s: give WORKLOAD/BATCH=LENGTH,...", text);
    return 1;
  }
  static const Planted record;
  *plugin = &record.plugin;
  return 0;
}
