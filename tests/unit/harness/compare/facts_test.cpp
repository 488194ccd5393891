// Which differences are in the way, and which are what people compare.
#include "harness/compare/facts.hpp"

#include <gtest/gtest.h>

namespace graphbench::compare {
namespace {

DocumentFacts facts() {
  DocumentFacts made;
  made.fields = {{"device.kind", "cuda"},  {"device.name", "H200"},
                 {"device.driver", "580"}, {"device.libraries.cudnn", "9"},
                 {"plan", "aa"},           {"fingerprint", "ff"},
                 {"cpu", "Xeon"},          {"tool.commit", "one"}};
  return made;
}

std::vector<model::Difference> changed(const std::string& field, const std::string& value,
                                       const std::vector<std::string>& allow = {}) {
  DocumentFacts now = facts();
  now.fields[field] = value;
  return differences_of(facts(), now, allow);
}

TEST(Facts, EqualSidesHaveNoDifferences) {
  EXPECT_TRUE(differences_of(facts(), facts(), {}).empty());
  EXPECT_TRUE(differences_of({}, {}, {}).empty()) << "documents that say nothing";
}

TEST(Facts, AnotherDeviceOrPlanIsInTheWay) {
  for (const char* field : {"device.kind", "device.name", "device.compute_capability", "plan"}) {
    const std::vector<model::Difference> differences = changed(field, "other");
    ASSERT_EQ(differences.size(), 1u) << field;
    EXPECT_TRUE(differences.front().blocking) << field;
    EXPECT_FALSE(comparable(differences)) << field;
    EXPECT_TRUE(comparable(changed(field, "other", {field}))) << field;
  }
  EXPECT_TRUE(comparable(changed("device.name", "other", {"device"})));
  EXPECT_FALSE(comparable(changed("plan", "other", {"device"})));
}

TEST(Facts, AnotherDriverLibraryOrToolIsListed) {
  for (const char* field : {"device.driver", "device.runtime", "device.libraries.cudnn",
                            "device.libraries.new", "tool.commit", "cpu", "machine.governor"}) {
    const std::vector<model::Difference> differences = changed(field, "other");
    ASSERT_EQ(differences.size(), 1u) << field;
    EXPECT_EQ(differences.front().field, field);
    EXPECT_EQ(differences.front().now, "other");
    EXPECT_TRUE(comparable(differences)) << field;
  }
}

TEST(Facts, TheHostsCpuIsItsDevice) {
  DocumentFacts base = facts();
  base.fields["device.kind"] = "host";
  DocumentFacts now = base;
  now.fields["cores"] = "64";
  EXPECT_FALSE(comparable(differences_of(base, now, {})));
  EXPECT_TRUE(comparable(differences_of(base, now, {"cores"})));
}

TEST(Facts, AFingerprintThatNothingExplainsIsInTheWay) {
  EXPECT_FALSE(comparable(changed("fingerprint", "00")));
  DocumentFacts now = facts();
  now.fields["fingerprint"] = "00";
  now.fields["device.driver"] = "590";
  EXPECT_TRUE(comparable(differences_of(facts(), now, {})));
  now.fields["device.driver"] = "580";
  now.fields["hostname"] = "other";  // which no fingerprint holds
  EXPECT_FALSE(comparable(differences_of(facts(), now, {})));
}

}  // namespace
}  // namespace graphbench::compare
