// Loads real shared libraries that are wrong in every way a plugin can be, and one that is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/graphs/abi/abi_fixture.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::abi {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string plugin_file(const std::string& name) {
  return GRAPHBENCH_TEST_PLUGIN_DIR "/" + name + ".so";
}

Outcome loading(const std::string& path) {
  return outcome_of([&] { WorkloadRegistry().load(path); });
}

Outcome building(const std::string& name, ir::DType dtype = ir::DType::fp32) {
  WorkloadRegistry registry;
  registry.load(plugin_file(name));
  return outcome_of(
      [&] { registry.build(name, {.preset = "tiny", .dtype = dtype, .pass = "forward", .options = {}}); });
}

void expect_plugin_failed(const Outcome& outcome, const std::string& file,
                          const ::testing::Matcher<std::string>& text) {
  EXPECT_THAT(outcome.message, AllOf(StartsWith("plugin " + file + ": "), text));
  EXPECT_EQ(name_of(outcome.code), "plugin_failed");
  EXPECT_EQ(outcome.message.find('\n'), std::string::npos) << outcome.message;
}

using Cases = std::vector<std::pair<std::string, ::testing::Matcher<std::string>>>;

TEST(PluginLoading, AWrongPluginIsRefusedWithItsReason) {
  const Cases cases = {
      {"wrong_version", AllOf(HasSubstr("ABI version 1"), HasSubstr("has version 2"))},
      {"wrong_size", AllOf(HasSubstr("struct_size is 8"), HasSubstr("at least 48"))},
      {"null_record", HasSubstr("without a plugin record")},
      {"missing_entry", HasSubstr("does not export graphbench_plugin_open")},
      {"open_error", AllOf(HasSubstr("returned 3"), HasSubstr("the licence has?expired"))},
      {"open_throw", HasSubstr("open threw this")},
  };
  for (const auto& [name, text] : cases)
    expect_plugin_failed(loading(plugin_file(name)), plugin_file(name), text);
}

TEST(PluginLoading, AMissingFileIsRefused) {
  expect_plugin_failed(loading("/nowhere/p.so"), "/nowhere/p.so", HasSubstr("no such file"));
}

TEST(PluginLoading, AFolderIsRefused) {
  const std::string folder = GRAPHBENCH_TEST_PLUGIN_DIR;
  expect_plugin_failed(loading(folder), folder, HasSubstr("not a regular file"));
}

TEST(PluginLoading, AFileThatIsNoLibraryIsRefused) {
  const std::string file = ::testing::TempDir() + "graphbench_no_library.so";
  std::ofstream(file) << "this is text\n";
  expect_plugin_failed(loading(file), file, HasSubstr("cannot be loaded as a shared library"));
  std::filesystem::remove(file);
}

TEST(PluginLoading, ARelativePathIsTakenFromTheWorkingFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(GRAPHBENCH_TEST_PLUGIN_DIR);
  const Outcome outcome = loading("good_op.so");
  std::filesystem::current_path(before);
  EXPECT_EQ(outcome.message, "");
}

TEST(PluginLoading, TheSamePluginTwiceIsRefused) {
  WorkloadRegistry registry;
  registry.load(plugin_file("good_op"));
  expect_plugin_failed(outcome_of([&] { registry.load(plugin_file("good_op")); }), plugin_file("good_op"),
                       HasSubstr("workload 'good_op' is taken already, by " + plugin_file("good_op")));
}

TEST(PluginLoadingDeathTest, AnOpenThatCrashesReallyDoes) {
  EXPECT_EXIT(loading(plugin_file("open_crash")), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(PluginLoadingDeathTest, ABuildThatCrashesReallyDoes) {
  EXPECT_EXIT(building("build_crash"), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(PluginBuilding, AWorkloadThatDoesNotBuildIsRefusedWithItsReason) {
  const Cases cases = {
      {"build_error", HasSubstr("width and height must match")},
      {"build_throw", HasSubstr("build threw this")},
      {"ignored_refusal", AllOf(HasSubstr("wrong"), HasSubstr("no_such_kind"))},
      {"infer_error", HasSubstr("x has the wrong colour")},
      {"infer_throw", HasSubstr("threw")},
  };
  for (const auto& [name, text] : cases)
    expect_plugin_failed(building(name), plugin_file(name), AllOf(HasSubstr("workload " + name), text));
}

TEST(PluginBuilding, AnOpThatRefusesADtypeSaysSo) {
  EXPECT_THAT(building("good_op", ir::DType::bf16).message, HasSubstr("x must be fp32"));
}

TEST(PluginBuilding, AForeignOpCarriesItsTraitsAndWriteSet) {
  for (const std::string name : {"good_op", "host_op", "not_capturable_op", "mutating_op"}) {
    WorkloadRegistry registry;
    registry.load(plugin_file(name));
    const ir::Program program =
        registry.build(name, {.preset = "tiny", .dtype = {}, .pass = "forward", .options = {}});
    const ir::OpDefinition* definition = registry.catalog().find(name);
    ASSERT_NE(definition, nullptr);
    ASSERT_NE(definition->foreign, nullptr);
    EXPECT_EQ(definition->traits.host_op, name == "host_op");
    EXPECT_EQ(definition->traits.capturable, name != "not_capturable_op");
    EXPECT_EQ(definition->mutated_inputs.size(), name == "mutating_op" ? 1u : 0u);
    EXPECT_EQ(program.ops().size(), name == "mutating_op" ? 1u : 3u);
  }
}

TEST(PluginLoading, WorkloadsOfAPluginStandBesideTheBuiltInOnes) {
  WorkloadRegistry registry;
  workloads::add_builtin(registry);
  registry.load(plugin_file("good_op"));
  const std::vector<WorkloadInfo> infos = registry.workloads();
  ASSERT_EQ(infos.size(), 4u);
  EXPECT_EQ(infos.back().name, "good_op");
  EXPECT_EQ(infos.back().plugin, plugin_file("good_op"));
  EXPECT_EQ(infos.front().plugin, "builtin");
}

}  // namespace
}  // namespace graphbench::abi
