// Tests which differences of facts prevent a comparison, and which are what people want to compare.
#include "harness/judge/compare/facts.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace graphbench::judge {
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
  for (const char* field : {"device.kind", "device.name", "device.compute_capability", "plan", "method"}) {
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
  for (const char* field :
       {"device.driver", "device.runtime", "device.libraries.cudnn", "device.libraries.new",
        "variables.GRAPHBENCH_AUTOTUNE", "tool.commit", "cpu", "machine.governor"}) {
    const std::vector<model::Difference> differences = changed(field, "other");
    ASSERT_EQ(differences.size(), 1u) << field;
    EXPECT_EQ(differences.front().field, field);
    EXPECT_EQ(differences.front().now, "other");
    EXPECT_TRUE(comparable(differences)) << field;
  }
}

TEST(Facts, AnotherChoiceIsListedWhereBothSidesTellTheirs) {
  DocumentFacts base = facts();
  base.fields["library_choices.op 1"] = "fast";
  DocumentFacts now = base;
  EXPECT_TRUE(differences_of(facts(), base, {}).empty()) << "a document that says nothing";
  now.fields["library_choices.op 1"] = "fast+slow";
  now.fields["library_choices.op 2"] = "fast";
  const std::vector<model::Difference> found = differences_of(base, now, {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].field, "library_choices.op 1");
  EXPECT_EQ(found[0].now, "fast+slow");
  EXPECT_EQ(found[1].base, "");
  EXPECT_TRUE(comparable(found));
  now.fields["fingerprint"] = "00";
  EXPECT_FALSE(comparable(differences_of(base, now, {}))) << "no fingerprint holds choices";
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
  now.fields["hostname"] = "other";  // a fingerprint does not include the hostname
  EXPECT_FALSE(comparable(differences_of(facts(), now, {})));
}

DocumentFacts running_at(std::vector<double> sm_clocks_hz,
                         std::map<std::string, std::int64_t> throttled = {}) {
  DocumentFacts made = facts();
  made.clocks = {std::move(sm_clocks_hz), 4, std::move(throttled)};
  return made;
}

TEST(Facts, AnotherClockIsListedWhereItsMedianIsFarOff) {
  const DocumentFacts base = running_at({300e6, 1980e6, 1980e6});
  EXPECT_TRUE(differences_of(base, running_at({1900e6}), {}).empty()) << "4 %";
  EXPECT_TRUE(differences_of(base, facts(), {}).empty()) << "a document that says nothing";
  for (const bool faster : {false, true}) {
    const DocumentFacts slow = running_at({1200e6, 1200e6, 1980e6});
    const std::vector<model::Difference> found =
        faster ? differences_of(slow, base, {}) : differences_of(base, slow, {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().field, "machine.sm_clock_hz");
    EXPECT_EQ(faster ? found.front().base : found.front().now, "1200 MHz (median)");
    EXPECT_TRUE(comparable(found));
  }
}

TEST(Facts, ThrottlingOfOneSideIsListedByItsReason) {
  const DocumentFacts base = running_at({}, {{"sw_power_cap", 1}, {"hw_thermal_slowdown", 2}});
  EXPECT_TRUE(
      differences_of(base, running_at({}, {{"sw_power_cap", 4}, {"hw_thermal_slowdown", 1}}), {}).empty());
  const std::vector<model::Difference> found =
      differences_of(base, running_at({}, {{"sw_power_cap", 3}, {"sync_boost", 4}}), {});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].field, "machine.throttle");
  EXPECT_EQ(found[0].base, "hw_thermal_slowdown in 2 of 4 cell launches");
  EXPECT_EQ(found[0].now, "never");
  EXPECT_EQ(found[1].base, "never");
  EXPECT_EQ(found[1].now, "sync_boost in 4 of 4 cell launches");
  EXPECT_TRUE(comparable(found));
  EXPECT_TRUE(differences_of(base, facts(), {}).empty()) << "a document that says nothing";
}

TEST(Facts, AnotherClockExplainsNoFingerprint) {
  DocumentFacts now = running_at({1200e6});
  now.fields["fingerprint"] = "00";
  EXPECT_FALSE(comparable(differences_of(running_at({1980e6}), now, {})));
}

}  // namespace
}  // namespace graphbench::judge
