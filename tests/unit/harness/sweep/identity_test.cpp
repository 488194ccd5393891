// What must be equal for a sweep to go on with another's journal.
#include "harness/sweep/identity.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_plan.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::sweep {
namespace {

std::string part(const RunIdentity& identity, const std::string& name) {
  for (const auto& [each, value] : identity) {
    if (each == name) return value;
  }
  return "absent";
}

TEST(Identity, IsOfThePlanAndTheKindOfDevice) {
  model::Plan plan = test::sample_plan({test::sample_task("eager", {1, 2})});
  model::DeviceFacts facts{};
  const RunIdentity first = identity_of(plan, facts, {});
  facts.uuid = "GPU-1";
  plan.tasks[0].device = "cuda:1";
  plan.tasks[0].instruments.submitter.emplace();
  EXPECT_EQ(first, identity_of(plan, facts, {})) << "another device of the same kind goes on";
  facts.driver = "570";
  EXPECT_NE(part(first, "kind of device"), part(identity_of(plan, facts, {}), "kind of device"));
  plan.tasks[0].sampling.samples_max = 7;
  EXPECT_NE(part(first, "plan"), part(identity_of(plan, facts, {}), "plan"));
}

TEST(Identity, IsOfWhatPluginsHold) {
  const test::TemporaryFolder folder;
  const std::string one = folder.write("a/p.so", "code");
  const std::string same = folder.write("b/p.so", "code");
  EXPECT_EQ(plugins_digest({one}), plugins_digest({same}));
  const std::string before = plugins_digest({one});
  folder.write("a/p.so", "other code");
  EXPECT_NE(before, plugins_digest({one}));
  EXPECT_EQ(binary_digest(), binary_digest());
}

}  // namespace
}  // namespace graphbench::sweep
