// Makes a plugin's record and its op for tests.
#pragma once

#include <algorithm>

#include "graphs/abi/graphbench_abi.h"

namespace graphbench::test {

constexpr gb_op foreign_op(const char* kind, decltype(gb_op::infer) infer,
                           decltype(gb_op::run_host) run_host = nullptr, std::uint32_t flags = 0,
                           std::uint64_t mutated_inputs = 0) {
  gb_op op{};
  op.struct_size = sizeof(op);
  op.flags = flags;
  op.kind = kind;
  op.mutated_inputs = mutated_inputs;
  op.infer = infer;
  op.run_host = run_host;
  return op;
}

constexpr gb_plugin empty_plugin(const char* name) {
  gb_plugin plugin{};
  plugin.struct_size = sizeof(plugin);
  plugin.abi_version = GB_ABI_VERSION;
  plugin.name = name;
  plugin.version = "1";
  return plugin;
}

// The infer function of an op with one output, like its first input.
inline std::int32_t infer_same(const gb_symbolic* inputs, std::int32_t, const gb_attr*, std::int32_t,
                               gb_inferred* outputs, char*, std::size_t, void*) {
  outputs[0].dtype = inputs[0].dtype;
  outputs[0].rank = inputs[0].rank;
  std::copy_n(inputs[0].dims, inputs[0].rank, outputs[0].dims);
  return 1;
}

inline std::int32_t infer_nothing(const gb_symbolic*, std::int32_t, const gb_attr*, std::int32_t,
                                  gb_inferred*, char*, std::size_t, void*) {
  return 0;
}

}  // namespace graphbench::test
