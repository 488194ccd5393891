// What misbehaving plugins share: the library's case, a one-op program, a crash that no sanitizer catches.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "tests/support/foreign_op.hpp"

namespace test_plugin {

inline constexpr std::string_view kCase = GRAPHBENCH_TEST_CASE;

[[noreturn]] inline void crash() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  for (;;) pause();
}

[[noreturn]] inline void hang() {
  for (;;) pause();
}

inline void say(char* error, std::size_t error_size, const char* text) {
  std::snprintf(error, error_size, "%s", text);
}

inline constexpr gb_option kOptions[] = {
    {"width", "columns of x", 1, 65536},
    {"min_batch", "smallest batch at which the op misbehaves", 1, 1 << 20},
};
inline constexpr std::int64_t kBase[] = {256, 1};
inline constexpr std::int64_t kTiny[] = {16, 1};
inline constexpr gb_preset kPresets[] = {{"base", kBase}, {"tiny", kTiny}};

using BuildFunction = int (*)(const gb_build_request*, gb_builder*, const gb_builder_api*, void*);

constexpr gb_workload workload_with(BuildFunction build) {
  constexpr const char* name = GRAPHBENCH_TEST_CASE;
  return {sizeof(gb_workload), 0, name, "a plugin", kOptions, 2, 2, kPresets, build, nullptr};
}

// Builds x -> op -> y; if `surrounded`, x -> relu -> op -> relu -> y.
inline int build_chain(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api,
                       const char* kind, bool surrounded) {
  const gb_dim dims[] = {{1, 0}, {0, request->options[0].value}};
  const gb_attr attributes[] = {{"min_batch", GB_ATTR_INT, 0, request->options[1].value, 0.0, nullptr}};
  std::int32_t value = api->value(builder, GB_INPUT, "x", static_cast<gb_dtype>(request->dtype), dims, 2,
                                  gb_init{GB_UNIFORM, 0, -1.0, 1.0});
  if (value < 0) return 1;
  if (surrounded && api->op(builder, "relu", "before", &value, 1, nullptr, 0, &value, 1) < 0) return 1;
  if (api->op(builder, kind, "odd", &value, 1, attributes, 1, &value, 1) < 0) return 1;
  if (surrounded && api->op(builder, "relu", "after", &value, 1, nullptr, 0, &value, 1) < 0) return 1;
  return api->mark_output(builder, value) < 0 ? 1 : 0;
}

template <const gb_step& step>
inline constexpr const gb_step* kOnly[] = {&step};

// A plugin with one foreign step, and of the step's name.
template <const gb_step& step>
constexpr gb_plugin plugin_of_step() {
  gb_plugin plugin = graphbench::test::empty_plugin(step.name);
  plugin.step_count = 1;
  plugin.steps = kOnly<step>;
  return plugin;
}

template <BuildFunction build>
struct OneWorkload {
  static constexpr gb_workload workload = workload_with(build);
  static constexpr const gb_workload* list[] = {&workload};
};
template <BuildFunction build>
constexpr gb_plugin plugin_of() {
  gb_plugin plugin = graphbench::test::empty_plugin(GRAPHBENCH_TEST_CASE);
  plugin.workloads = OneWorkload<build>::list;
  plugin.workload_count = 1;
  return plugin;
}

template <BuildFunction build, std::int32_t ops>
constexpr gb_plugin plugin_of(const gb_op* const (&list)[ops]) {
  gb_plugin plugin = plugin_of<build>();
  plugin.ops = list;
  plugin.op_count = ops;
  return plugin;
}

inline std::int32_t infer_like_input(const gb_symbolic* inputs, gb_inferred* outputs) {
  return graphbench::test::infer_same(inputs, 1, nullptr, 0, outputs, nullptr, 0, nullptr);
}

}  // namespace test_plugin

#define GRAPHBENCH_TEST_OPENS(record)                                                             \
  extern "C" GB_EXPORT int graphbench_plugin_open(std::uint32_t, const gb_plugin** plugin, char*, \
                                                  std::size_t) {                                  \
    *plugin = &record;                                                                            \
    return 0;                                                                                     \
  }
