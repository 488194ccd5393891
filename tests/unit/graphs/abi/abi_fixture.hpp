// A valid plugin record, in which a test can make any field wrong, and the error that follows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/base/error.hpp"
#include "tests/support/foreign_op.hpp"

namespace graphbench::abi {

using BuildBody = std::function<int(const gb_build_request&, gb_builder*, const gb_builder_api&)>;

inline int run_build_body(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api,
                          void* user) {
  return (*static_cast<const BuildBody*>(user))(*request, builder, *api);
}

inline int run_nothing(const gb_op_call*, void* const*, void*) {
  return 0;
}

struct RecordFixture {
  BuildBody body = [](const gb_build_request&, gb_builder*, const gb_builder_api&) { return 0; };
  std::vector<gb_option> options = {{"width", "columns", 1, 100}, {"depth", "layers", 2, 9}};
  std::vector<std::int64_t> base = {50, 4};
  std::vector<std::int64_t> tiny = {5, 2};
  std::vector<gb_preset> presets = {{"base", base.data()}, {"tiny", tiny.data()}};
  gb_workload workload = {sizeof(gb_workload), 0,    "demo", "a demo", options.data(), 2, 2, presets.data(),
                          run_build_body,      &body};
  gb_op op = test::foreign_op("demo_op", test::infer_nothing, run_nothing);
  std::vector<const gb_workload*> workloads = {&workload};
  std::vector<const gb_op*> ops = {&op};
  const gb_workload** workload_list = workloads.data();
  gb_plugin plugin = test::empty_plugin("demo-plugin");
  WorkloadRegistry registry;

  RecordFixture() {
    plugin.workloads = workload_list;
    plugin.ops = ops.data();
    plugin.workload_count = plugin.op_count = 1;
  }
  RecordFixture(const RecordFixture&) = delete;  // the records point into each other
  void add() { registry.add(plugin, "demo.so"); }
};

struct Outcome {
  std::string message;  // empty if nothing was thrown
  ErrorCode code = ErrorCode::internal;
};

template <typename Call>
Outcome outcome_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.what(), error.code()};
  }
  return {};
}

}  // namespace graphbench::abi
