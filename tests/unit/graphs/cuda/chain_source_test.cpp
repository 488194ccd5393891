// The generator without a GPU: what it writes compiles, and no compiler may contract what is shared.
#include "graphs/cuda/ops/chain_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/cuda/nvrtc_library.hpp"
#include "graphs/device/chain_call.hpp"
#include "tests/support/random_chains.hpp"

namespace graphbench::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<ChainCall> calls_of(const ir::Program& program) {
  std::vector<ChainCall> calls;
  for (const ir::Chain& chain : ir::chains(program, ir::partition(program, {})))
    calls.push_back(chain_call(program, chain, 5));
  return calls;
}

// x -> relu -> bias_add: the output.
ir::Program two_ops(const ir::OpCatalog& catalog, std::int64_t columns) {
  ir::ProgramBuilder b("p", catalog);
  const ir::Shape rows{ir::of_batch(), ir::fixed_dim(columns)};
  const ir::ValueId x = b.value(ir::ValueKind::input, "x", ir::DType::bf16, rows, {});
  const ir::ValueId v = b.value(ir::ValueKind::weight, "v", ir::DType::bf16, {ir::fixed_dim(columns)}, {});
  const ir::ValueId relu = b.op("relu", "relu", {x}, {})[0];
  b.mark_output(b.op("bias_add", "bias", {relu, v}, {})[0]);
  return b.finish();
}

TEST(ChainSource, LoadsWhatIsReadOnceAndStoresWhatIsWritten) {
  const ir::OpCatalog catalog;
  const ChainSource source = chain_source(calls_of(two_ops(catalog, 64)).at(0));
  EXPECT_EQ(source.why_not, "");
  EXPECT_EQ(source.threads, 256u);
  EXPECT_EQ(source.blocks, 1u);  // 320 elements, eight a thread
  const std::string kernel = source.text.substr(source.text.find("extern"));
  EXPECT_THAT(kernel, HasSubstr("Layout::load(v1, p.p1 + column, left);\n  wait_for_kernels_ahead();"));
  EXPECT_THAT(kernel, HasSubstr("v3[i] = rounded<T>(relu(v0[i]));"));
  EXPECT_THAT(kernel, HasSubstr("v2[i] = rounded<T>(sum_of(v3[i], v1[i]));"));
  EXPECT_THAT(kernel, HasSubstr("Layout::store(p.p2 + at, v2, left);"));
  EXPECT_THAT(kernel, Not(HasSubstr("p.p3")));
}

TEST(ChainSource, RowsThatNoThreadsHoldAreRefusedWithTheReason) {
  const ir::OpCatalog catalog;
  ir::ProgramBuilder b("p", catalog);
  const ir::Shape vector{ir::fixed_dim(100'001)};
  const ir::ValueId x = b.value(ir::ValueKind::input, "x", ir::DType::fp32, {ir::of_batch(), vector[0]}, {});
  const ir::ValueId v = b.value(ir::ValueKind::weight, "v", ir::DType::fp32, vector, {});
  const ir::ValueId relu = b.op("relu", "relu", {x}, {})[0];
  b.mark_output(b.op("rmsnorm", "norm", {relu, v}, {})[0]);
  const ChainSource source = chain_source(calls_of(b.finish()).at(0));
  EXPECT_EQ(source.why_not, "a row of 100001 elements is too long");
  EXPECT_EQ(source.text, "");
}

class ChainCode : public ::testing::TestWithParam<std::string> {};

TEST_P(ChainCode, OfRandomChainsCompiles) {
  const ir::OpCatalog catalog;
  for (const ir::DType dtype : {ir::DType::fp32, ir::DType::bf16, ir::DType::fp16}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const ir::Program program = test::random_chains(catalog, dtype, seed);
      std::vector<ChainCall> calls = calls_of(program);
      ASSERT_FALSE(calls.empty());
      if (calls.size() > 1) calls = {calls.front(), calls.back()};  // compiling takes its time
      for (const ChainCall& call : calls) {
        const ChainSource source = chain_source(call);
        ASSERT_EQ(source.why_not, "") << call.kinds();
        const Compiled compiled = compile(source.text, GetParam());
        if (!compiled.why_not.empty()) GTEST_SKIP() << compiled.why_not;
        EXPECT_TRUE(compiled.cubin.starts_with("\177ELF")) << call.kinds();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, ChainCode, ::testing::Values("sm_80", "sm_90"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace graphbench::cuda
