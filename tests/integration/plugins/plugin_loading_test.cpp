// Loads real shared libraries and other files. faults_test.py tests the messages for wrong plugins.
#include <gmock/gmock.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/graphs/abi/abi_fixture.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::abi {
namespace {

using ::testing::HasSubstr;

std::string plugin_file(const std::string& name) {
  return GRAPHBENCH_TEST_PLUGIN_DIR "/" + name + ".so";
}

void expect_refused(WorkloadRegistry& registry, const std::string& file, const std::string& text) {
  const Outcome outcome = outcome_of([&] { registry.load(file); });
  EXPECT_THAT(outcome.message,
              ::testing::AllOf(::testing::StartsWith("plugin " + file + ": "), HasSubstr(text)));
  EXPECT_EQ(name_of(outcome.code), "plugin_failed");
}

TEST(PluginLoading, FilesThatAreNoPluginsAreRefused) {
  const test::TemporaryFolder folder;
  WorkloadRegistry registry;
  expect_refused(registry, "/nowhere/p.so", "the file does not exist");
  expect_refused(registry, GRAPHBENCH_TEST_PLUGIN_DIR, "not a regular file");
  expect_refused(registry, folder.write("text.so", "this is text\n"), "cannot be loaded as a shared library");
}

TEST(PluginLoading, ARelativePathIsTakenFromTheWorkingFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(GRAPHBENCH_TEST_PLUGIN_DIR);
  const Outcome outcome = outcome_of([] { WorkloadRegistry().load("good_op.so"); });
  std::filesystem::current_path(before);
  EXPECT_EQ(outcome.message, "");
}

TEST(PluginLoading, AWorkloadStandsBesideTheBuiltInOnesAndOnce) {
  WorkloadRegistry registry;
  workloads::add_builtin(registry);
  const std::size_t builtin = registry.workloads().size();
  const std::string file = plugin_file("good_op");
  registry.load(file);
  const std::vector<WorkloadInfo> infos = registry.workloads();
  ASSERT_EQ(infos.size(), builtin + 1);
  EXPECT_EQ(infos.back().name, "good_op");
  EXPECT_EQ(infos.back().plugin, file);
  EXPECT_EQ(infos.front().plugin, "builtin");
  expect_refused(registry, file, "workload 'good_op' already exists in " + file);
}

TEST(PluginBuilding, AForeignOpCarriesItsTraitsAndWriteSetAndRefusesADtype) {
  for (const std::string name : {"good_op", "host_op", "not_capturable_op", "mutating_op"}) {
    WorkloadRegistry registry;
    registry.load(plugin_file(name));
    const ir::Program program = registry.build(name, {.preset = "tiny", .options = {}});
    const ir::OpDefinition* definition = registry.catalog().find(name);
    ASSERT_NE(definition, nullptr);
    ASSERT_NE(definition->foreign, nullptr);
    EXPECT_EQ(definition->traits.host_op, name == "host_op");
    EXPECT_EQ(definition->traits.capturable, name != "not_capturable_op");
    EXPECT_EQ(definition->mutated_inputs.size(), name == "mutating_op" ? 1u : 0u);
    EXPECT_EQ(program.ops().size(), name == "mutating_op" ? 1u : 3u);
    const BuildChoice choice{.preset = "tiny", .dtype = ir::DType::bf16, .options = {}};
    EXPECT_THAT(outcome_of([&] { registry.build(name, choice); }).message, HasSubstr("x must be fp32"));
  }
}

}  // namespace
}  // namespace graphbench::abi
