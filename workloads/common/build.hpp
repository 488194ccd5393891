// Wraps the plugin ABI in header-only C++: functions instead of hand-made arrays, and one status at the end.
// A plugin's author may copy this file, which needs only graphbench_abi.h. After graphbench refuses a call,
// all later calls do nothing, and the value ids that they return are not valid. So build() needs no checks
// before it returns `status()`. No exception is thrown.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "graphs/abi/graphbench_abi.h"

namespace graphbench::workloads {

inline constexpr std::int32_t kNoValue = -1;

inline gb_dim of_batch(std::int64_t multiple = 1) {
  return {multiple, 0};
}
inline gb_dim fixed_dim(std::int64_t extent) {
  return {0, extent};
}
inline gb_init uniform(double low, double high) {
  return {GB_UNIFORM, 0, low, high};
}
inline gb_init uniform(double bound) {
  return uniform(-bound, bound);
}
inline gb_init constant(double value) {
  return {GB_CONSTANT, 0, value, value};
}

inline gb_attr integer(const char* name, std::int64_t value) {
  return {name, GB_ATTR_INT, 0, value, 0.0, nullptr};
}
inline gb_attr text(const char* name, const char* value) {
  return {name, GB_ATTR_TEXT, 0, 0, 0.0, value};
}

template <std::size_t options, std::size_t presets>
constexpr gb_workload describe_workload(const char* name, const char* help,
                                        const gb_option (&option)[options],
                                        const gb_preset (&preset)[presets],
                                        decltype(gb_workload::build) build) {
  return {sizeof(gb_workload), 0, name, help, option, options, presets, preset, build, nullptr};
}
template <std::size_t count>
constexpr gb_plugin describe_plugin(const char* name, const gb_workload* const (&workloads)[count]) {
  return {sizeof(gb_plugin), GB_ABI_VERSION, name, "1", workloads, nullptr, count, 0, nullptr, 0, 0, nullptr};
}

class Build {
 public:
  Build(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api)
      : request_(request), builder_(builder), api_(api) {}

  // The requested dtype, which is the dtype of every floating-point value of the program.
  gb_dtype dtype() const { return static_cast<gb_dtype>(request_->dtype); }

  bool is_training() const { return std::strcmp(request_->pass, "training") == 0; }

  // The value of a declared option; graphbench passes all declared options.
  std::int64_t option(const char* key) {
    for (std::int32_t i = 0; i < request_->option_count; ++i) {
      if (std::strcmp(request_->options[i].key, key) == 0) return request_->options[i].value;
    }
    fail(std::string("option ") + key + " was not passed");
    return 1;
  }

  std::int32_t value(gb_value_kind kind, const std::string& name, gb_dtype dtype,
                     std::initializer_list<gb_dim> shape, gb_init init) {
    if (failed_) return kNoValue;
    return checked(api_->value(builder_, kind, name.c_str(), dtype, shape.begin(),
                               static_cast<std::int32_t>(shape.size()), init));
  }
  std::int32_t weight(const std::string& name, std::initializer_list<gb_dim> shape, gb_init init) {
    return value(GB_WEIGHT, name, dtype(), shape, init);
  }

  std::int32_t op(const char* kind, const std::string& name, const std::vector<std::int32_t>& inputs,
                  const std::vector<gb_attr>& attributes = {}) {
    std::int32_t output = kNoValue;
    if (append(kind, name, inputs, attributes, &output, 1) == 1) return output;
    if (!failed_) fail(name + ": " + kind + " has no output");
    return kNoValue;
  }

  template <std::size_t count>
  std::array<std::int32_t, count> ops(const char* kind, const std::string& name,
                                      const std::vector<std::int32_t>& inputs,
                                      const std::vector<gb_attr>& attributes) {
    std::array<std::int32_t, count> outputs{};
    append(kind, name, inputs, attributes, outputs.data(), count);
    return outputs;
  }

  void marker(const char* kind, const std::string& name) { append(kind, name, {}, {}, nullptr, 0); }

  void output(std::int32_t value_id) {
    if (!failed_) checked(api_->mark_output(builder_, value_id));
  }
  // `split` is an op kind, or a pattern of op names such as "*.conv2".
  void split_at(const char* split) {
    if (!failed_) checked(api_->split_at(builder_, &split, 1));
  }

  // Sets the value of an input's padding rows; without this call it is 0.
  void pad_with(std::int32_t input, double pad) {
    if (!failed_) checked(api_->pad_with(builder_, input, pad));
  }

  // Records why the program cannot be built.
  void fail(const std::string& why) {
    if (!failed_) api_->fail(builder_, why.c_str());
    failed_ = true;
  }
  bool failed() const { return failed_; }

  // The return value of build().
  int status() const { return failed_ ? 1 : 0; }

 private:
  std::int32_t append(const char* kind, const std::string& name, const std::vector<std::int32_t>& inputs,
                      const std::vector<gb_attr>& attributes, std::int32_t* outputs, std::int32_t capacity) {
    if (failed_) return kNoValue;
    return checked(api_->op(builder_, kind, name.c_str(), inputs.data(),
                            static_cast<std::int32_t>(inputs.size()), attributes.data(),
                            static_cast<std::int32_t>(attributes.size()), outputs, capacity));
  }
  std::int32_t checked(std::int32_t result) {
    failed_ = failed_ || result < 0;
    return result;
  }

  const gb_build_request* request_;
  gb_builder* builder_;
  const gb_builder_api* api_;
  bool failed_ = false;
};

}  // namespace graphbench::workloads
