// Checks the layout of ABI version 2 as numbers, because users have plugins that were compiled against it. A
// struct may get a field at its end (then raise its size here); no field may move.
#include <gtest/gtest.h>

#include <cstddef>

#include "graphs/abi/graphbench_abi.h"

extern "C" {
size_t gb_test_plugin_bytes(void);
size_t gb_test_workload_bytes(void);
size_t gb_test_op_bytes(void);
size_t gb_test_builder_api_bytes(void);
size_t gb_test_op_call_bytes(void);
}

namespace {

static_assert(sizeof(void*) == 8, "the numbers below are those of 64-bit machines");

TEST(AbiLayout, CAndCxxSeeTheSameStructs) {
  EXPECT_EQ(gb_test_plugin_bytes(), sizeof(gb_plugin));
  EXPECT_EQ(gb_test_workload_bytes(), sizeof(gb_workload));
  EXPECT_EQ(gb_test_op_bytes(), sizeof(gb_op));
  EXPECT_EQ(gb_test_builder_api_bytes(), sizeof(gb_builder_api));
  EXPECT_EQ(gb_test_op_call_bytes(), sizeof(gb_op_call));
}

TEST(AbiLayout, VersionTwoHasTheSizesItWasPublishedWith) {
  EXPECT_EQ(sizeof(gb_plugin), 72u);
  EXPECT_EQ(sizeof(gb_workload), 64u);
  EXPECT_EQ(sizeof(gb_op), 96u);
  EXPECT_EQ(sizeof(gb_builder_api), 64u);
  EXPECT_EQ(sizeof(gb_build_request), 32u);
  EXPECT_EQ(sizeof(gb_op_call), 80u);
  EXPECT_EQ(sizeof(gb_tensor), 16u);
  EXPECT_EQ(sizeof(gb_symbolic), 16u);
  EXPECT_EQ(sizeof(gb_attr), 40u);
  EXPECT_EQ(sizeof(gb_init), 24u);
  EXPECT_EQ(sizeof(gb_option), 32u);
  EXPECT_EQ(sizeof(gb_preset), 16u);
  EXPECT_EQ(sizeof(gb_option_value), 16u);
  EXPECT_EQ(sizeof(gb_inferred), 136u);
  EXPECT_EQ(sizeof(gb_program_value), 32u);
  EXPECT_EQ(sizeof(gb_program_op), 64u);
  EXPECT_EQ(sizeof(gb_program), 32u);
  EXPECT_EQ(sizeof(gb_rewriter_api), 48u);
  EXPECT_EQ(sizeof(gb_program_pass), 40u);
  EXPECT_EQ(sizeof(gb_step_request), 88u);
  EXPECT_EQ(sizeof(gb_step_output), 32u);
  EXPECT_EQ(sizeof(gb_step), 152u);
  EXPECT_EQ(offsetof(gb_step, user), 96u);  // the last field of the first header
  EXPECT_EQ(sizeof(gb_step_copy), 32u);
  EXPECT_EQ(sizeof(gb_step_rows), 56u);
}

TEST(AbiLayout, VersionTwoHasItsFieldsWhereTheyWere) {
  EXPECT_EQ(offsetof(gb_plugin, abi_version), 4u);
  EXPECT_EQ(offsetof(gb_plugin, workloads), 24u);
  EXPECT_EQ(offsetof(gb_plugin, op_count), 44u);
  EXPECT_EQ(offsetof(gb_plugin, passes), 48u);
  EXPECT_EQ(offsetof(gb_plugin, pass_count), 56u);
  EXPECT_EQ(offsetof(gb_plugin, steps), 64u);
  EXPECT_EQ(offsetof(gb_workload, options), 24u);
  EXPECT_EQ(offsetof(gb_workload, build), 48u);
  EXPECT_EQ(offsetof(gb_op, mutated_inputs), 16u);
  EXPECT_EQ(offsetof(gb_op, launch_cuda), 32u);
  EXPECT_EQ(offsetof(gb_op, run_host), 40u);
  EXPECT_EQ(offsetof(gb_op, prepare), 56u);
  EXPECT_EQ(offsetof(gb_op, release), 72u);
  EXPECT_EQ(offsetof(gb_op, gradient), 80u);
  EXPECT_EQ(offsetof(gb_op, gradient_inputs), 88u);
  EXPECT_EQ(offsetof(gb_builder_api, op), 16u);
  EXPECT_EQ(offsetof(gb_builder_api, fail), 40u);
  EXPECT_EQ(offsetof(gb_builder_api, pad_with), 48u);
  EXPECT_EQ(offsetof(gb_builder_api, hook), 56u);
  EXPECT_EQ(offsetof(gb_op_call, batch), 24u);
  EXPECT_EQ(offsetof(gb_op_call, attrs), 40u);
  EXPECT_EQ(offsetof(gb_op_call, place), 48u);
  EXPECT_EQ(offsetof(gb_op_call, prepared), 56u);
  EXPECT_EQ(offsetof(gb_op_call, workspace_bytes), 72u);
}

}  // namespace
