// The generator without a GPU: what it writes compiles, and no compiler may contract what is shared.
#include "graphs/cuda/ops/chain_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/cuda/nvrtc_library.hpp"
#include "graphs/cuda/ops/op_builders.hpp"
#include "graphs/cuda/tuning/tuner.hpp"
#include "graphs/device/chain_call.hpp"
#include "tests/support/random_chains.hpp"

namespace graphbench::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<ChainCall> calls_of(const ir::Program& program, std::int64_t batch = 5) {
  std::vector<ChainCall> calls;
  for (const ir::Chain& chain : ir::chains(program, ir::partition(program, {})))
    calls.push_back(chain_call(program, chain, batch));
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
  EXPECT_EQ(source.function, "chain");
  EXPECT_TRUE(source.extents.empty());
  EXPECT_THAT(source.text, HasSubstr("chain(const Parameters p) {\n  chain_of<Neighbours, 8>(p);"));
  const std::string kernel = source.text.substr(source.text.find("chain_of("));
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

// rows -> relu -> rmsnorm -> rope.
ir::Program with_rows(const ir::OpCatalog& catalog, std::int64_t columns, ir::Code code) {
  ir::ProgramBuilder b("p", catalog);
  const ir::ValueId x =
      b.value(ir::ValueKind::input, "x", ir::DType::bf16, {ir::of_batch(7), ir::fixed_dim(columns)}, {});
  const ir::ValueId v = b.value(ir::ValueKind::weight, "v", ir::DType::bf16, {ir::fixed_dim(columns)}, {});
  const ir::ValueId norm = b.op("rmsnorm", "norm", {b.op("relu", "relu", {x}, {})[0], v}, {})[0];
  for (const ir::ValueId id :
       b.op("rope", "rope", {norm}, {{"heads", std::int64_t{1}}, {"head_dim", columns / 3}}))
    b.mark_output(id);
  ir::Program program = b.finish();
  program.set_code(code);
  return program;
}

TEST(ChainSource, GeneralCodeIsOneForAllBatchesAndWidths) {
  const ir::OpCatalog catalog;
  const auto source = [&](ir::Code code, std::int64_t columns, std::int64_t batch) {
    return chain_source(calls_of(with_rows(catalog, columns, code), batch).at(0));
  };
  const ChainSource small = source(ir::Code::general, 48, 5);
  ASSERT_EQ(small.why_not, "");
  EXPECT_EQ(small.function, "chain_of_neighbours");
  EXPECT_EQ(small.blocks, 35u);
  EXPECT_EQ(small.threads, 32u);
  // Half a head's angles in sixteen bytes each two, then the row.
  EXPECT_EQ(small.extents, (std::vector<std::int64_t>{48, 4, 1, 7, 16}));
  EXPECT_EQ(small.shared_bytes, 4u * 16 + 48 * 2);
  // Wider, not of whole vectors, and too wide for one element a thread.
  for (const auto& [columns, function] : {std::pair{3072, "chain_of_neighbours"},
                                          {66, "chain_apart_1"},
                                          {1542, "chain_apart_4"},
                                          {8190, "chain_apart_32"}}) {
    const ChainSource wide = source(ir::Code::general, columns, 64);
    EXPECT_EQ(wide.text, small.text) << columns;
    EXPECT_EQ(wide.function, function);
    EXPECT_EQ(wide.extents.at(0), columns);
    // Sums have the order that they have in code for one size.
    const ChainSource sized = source(ir::Code::sized, columns, 64);
    EXPECT_NE(sized.text, source(ir::Code::sized, 48, 64).text);
    EXPECT_EQ(wide.threads, sized.threads);
    EXPECT_EQ(wide.blocks, sized.blocks);
  }
  EXPECT_EQ(source(ir::Code::general, 24'600, 1).why_not,
            "rows of 24600 elements do not fit into shared memory");
}

TEST(ChainSource, OneOpsSourceDependsOnItsBatchWhereItsSizeDoes) {
  const ir::OpCatalog catalog;
  const auto source = [&](ir::Code code, std::int64_t batch) {
    ir::Program program = two_ops(catalog, 64);
    program.set_code(code);
    return chain_source(chain_call(program, ir::chains_of_one(program).at(0), batch));
  };
  EXPECT_NE(source(ir::Code::sized, 1).text, source(ir::Code::sized, 2).text);
  EXPECT_EQ(source(ir::Code::general, 1).text, source(ir::Code::general, 2).text);
  EXPECT_EQ(source(ir::Code::general, 2).extents, (std::vector<std::int64_t>{64, 128}));
  EXPECT_EQ(source(ir::Code::general, 2).in_place_input, 0u);
}

class ChainCode : public ::testing::TestWithParam<std::string> {};

TEST_P(ChainCode, OfRandomChainsCompiles) {
  const ir::OpCatalog catalog;
  const bool ptx = is_intermediate(GetParam());
  for (const ir::DType dtype : {ir::DType::fp32, ir::DType::bf16, ir::DType::fp16}) {
    for (std::uint64_t seed = 0; seed < (ptx ? 1 : 8); ++seed) {  // compiling takes its time
      ir::Program program = test::random_chains(catalog, dtype, seed);
      if (seed % 4 == 1 || ptx) program.set_code(ir::Code::general);
      std::vector<ChainCall> calls = calls_of(program);
      ASSERT_FALSE(calls.empty());
      if (calls.size() > 1) calls = {calls.front(), calls.back()};
      for (const ChainCall& call : calls) {
        const ChainSource source = chain_source(call);
        ASSERT_EQ(source.why_not, "") << call.kinds();
        const Compiled compiled = compile(source.text, GetParam());
        if (!compiled.why_not.empty()) GTEST_SKIP() << compiled.why_not;
        EXPECT_TRUE(is_code(compiled.code, GetParam())) << call.kinds();
        EXPECT_EQ(compiled.code.starts_with("\177ELF"), !ptx);
        if (!ptx) continue;
        EXPECT_EQ(compiled.code.find("griddepcontrol.wait") != std::string::npos,
                  can_wait_for_kernels_ahead(GetParam()));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, ChainCode,
                         ::testing::Values("sm_80", "sm_90", "compute_80", "compute_90"),
                         [](const auto& info) { return info.param; });

// What a package carries, and a device with another one's code does with it.
TEST(GeneratedCode, IsCompiledForEachArchitectureAndFoundWhereItIsOffered) {
  const ir::OpCatalog catalog;
  const auto opened = [] {
    OpContext context;
    context.tuner = std::make_shared<Tuner>(TuningSettings{}, Platform{});  // without a cache
    return context;
  };
  OpContext compiling = opened();
  if (const std::string why = nvrtc_targets().why_not; !why.empty()) GTEST_SKIP() << why;
  compiling.generated[chain_source(calls_of(two_ops(catalog, 64)).at(0)).text] = nullptr;
  const std::vector<cache::Entry> code = generated_code(compiling, {"sm_80", "sm_90", "compute_80"});
  ASSERT_EQ(code.size(), 3u);
  for (const cache::Entry& entry : code) EXPECT_TRUE(is_code(entry.content, entry.key.values.at(1)));
  EXPECT_TRUE(compiling.tuner->kept().empty()) << "it is no choice";
  EXPECT_EQ(compiling.code_use.kernels, 0);
  const double seconds = compiling.code_use.compile_seconds;
  EXPECT_GT(seconds, 0);
  EXPECT_EQ(generated_code(compiling, {"sm_80"}).size(), 1u);
  EXPECT_EQ(compiling.code_use.compile_seconds, seconds) << "it was compiled again";

  OpContext loading = opened();
  offer_code(loading, code);
  offer_code(loading, code);
  EXPECT_EQ(loading.intermediate, std::vector<std::string>{"compute_80"});
  for (const cache::Entry& entry : code) EXPECT_TRUE(loading.tuner->cache().is_offered(entry.key));
  loading.generated = compiling.generated;
  EXPECT_EQ(generated_code(loading, {"sm_80", "compute_80"}).size(), 2u);
  EXPECT_EQ(loading.code_use.compile_seconds, 0);
}

TEST(ChainTargets, TheCompilerSaysWhichArchitecturesItKnows) {
  const CodeTargets targets = nvrtc_targets();
  if (!targets.why_not.empty()) GTEST_SKIP() << targets.why_not;
  EXPECT_THAT(targets.architectures, ::testing::Contains("sm_90"));
  EXPECT_THAT(targets.architectures, Not(::testing::Contains("sm_60")));
}

}  // namespace
}  // namespace graphbench::cuda
