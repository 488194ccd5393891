// Chains of ops in one kernel give the bits that a kernel each gives.
#include "graphs/ir/chains.hpp"

#include "tests/conformance/program_fixture.hpp"
#include "tests/support/random_chains.hpp"

namespace graphbench::conformance {
namespace {

using ChainConformance = ProgramFixture;

TEST_P(ChainConformance, GiveTheBitsThatAKernelEachGives) {
  ir::Program apart = program();
  ir::Program chained = apart;
  apart.set_fusion(ir::Fusion::none);
  chained.set_fusion(ir::Fusion::chains);
  Rig apart_rig(device(), stream(), apart, 8);
  Rig chained_rig(device(), stream(), chained, 8);
  for (const std::int64_t batch : {8, 1, 5}) {
    const auto one_by_one = apart_rig.prepare(mode(), batch);
    const auto in_chains = chained_rig.prepare(mode(), batch);
    for (const KernelPath& path : in_chains->eager().chains_not_made()) {
      if (path.fallback.find("NVRTC") != std::string::npos) GTEST_SKIP() << path.fallback;
      ADD_FAILURE() << path.name << ": " << path.fallback;
    }
    std::size_t ops = 0;
    const auto found = ir::chains(chained, ir::partition(chained, chained.default_split_kinds()));
    for (const ir::Chain& chain : found) ops += chain.ops.size();
    EXPECT_GT(found.size(), 0u);
    EXPECT_EQ(in_chains->counts().kernels + static_cast<std::int64_t>(ops - found.size()),
              one_by_one->counts().kernels);
    EXPECT_EQ(chained_rig.step(*in_chains, batch, 3), apart_rig.step(*one_by_one, batch, 3))
        << "batch " << batch;
  }
}

// Code for any size, and single ops, of which the host device says that it generates nothing.
TEST_P(ChainConformance, GiveThoseBitsForAnySizeAndAsSingleOps) {
  const bool host = std::get<0>(GetParam()) == "host";
  ir::Program apart = program();
  apart.set_fusion(ir::Fusion::none);
  Rig apart_rig(device(), stream(), apart, 8);
  for (const ir::Fusion fusion : {ir::Fusion::none, ir::Fusion::chains}) {
    for (const ir::Code code : {ir::Code::general, ir::Code::sized}) {
      ir::Program generated = program();
      generated.set_fusion(fusion);
      generated.set_code(code);
      Rig rig(device(), stream(), generated, 8);
      for (const std::int64_t batch : {8, 1, 5}) {
        const auto one_by_one = apart_rig.prepare(mode(), batch);
        const auto executor = rig.prepare(mode(), batch);
        std::size_t refused = 0;
        for (const KernelPath& path : executor->eager().chains_not_made()) {
          if (path.fallback.find("NVRTC") != std::string::npos) GTEST_SKIP() << path.fallback;
          const bool single = path.name.ends_with(":built in");
          refused += single ? 1 : 0;
          if (!host || !single || path.fallback != "this device generates no code")
            ADD_FAILURE() << path.name << ": " << path.fallback;
        }
        if (host && fusion == ir::Fusion::none) EXPECT_GT(refused, 0u);
        EXPECT_EQ(rig.step(*executor, batch, 3), apart_rig.step(*one_by_one, batch, 3))
            << "batch " << batch << (code == ir::Code::general ? ", general" : ", sized");
      }
    }
  }
}

std::vector<NamedProgram> programs_with_chains() {
  std::vector<NamedProgram> programs;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    programs.push_back({"seed" + std::to_string(seed), [seed](const ir::OpCatalog& catalog, ir::DType dtype) {
                          return test::random_chains(catalog, dtype, seed);
                        }});
  }
  for (const NamedProgram& program : base_programs()) {
    if (program.name.ends_with("epilogues_off")) programs.push_back(program);
  }
  return programs;
}

INSTANTIATE_TEST_SUITE_P(Devices, ChainConformance,
                         ::testing::Combine(::testing::ValuesIn(backends()),
                                            ::testing::Values(ExecutionMode::eager, ExecutionMode::whole,
                                                              ExecutionMode::piecewise),
                                            ::testing::Values(ir::DType::fp32, ir::DType::bf16,
                                                              ir::DType::fp16),
                                            ::testing::ValuesIn(programs_with_chains())),
                         name_of_program_parameter);

}  // namespace
}  // namespace graphbench::conformance
