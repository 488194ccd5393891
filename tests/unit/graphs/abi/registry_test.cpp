// What a registry answers, how a choice of preset and options becomes the values build() sees, and which
// names and lines a plugin may have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/abi/text.hpp"
#include "tests/unit/graphs/abi/abi_fixture.hpp"

namespace graphbench::abi {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The fixture's workload, with a body that keeps the request and refuses.
class Registry : public ::testing::Test {
 protected:
  Registry() {
    fixture_.body = [this](const gb_build_request& request, gb_builder* builder, const gb_builder_api& api) {
      dtype_ = request.dtype;
      pass_ = request.pass;
      for (std::int32_t i = 0; i < request.option_count; ++i) {
        keys_.emplace_back(request.options[i].key);
        values_.push_back(request.options[i].value);
      }
      api.fail(builder, "seen");
      return 1;
    };
    registry_.add(fixture_.plugin, "demo.so");
  }

  Outcome build(const BuildChoice& choice, const char* workload = "demo") {
    return outcome_of([&] { registry_.build(workload, choice); });
  }

  void expect_rejected(const Outcome& outcome, const ::testing::Matcher<std::string>& text) {
    EXPECT_THAT(outcome.message, text);
    EXPECT_EQ(outcome.code, ErrorCode::invalid_argument);
    EXPECT_TRUE(keys_.empty()) << "build() was called";
  }

  RecordFixture fixture_;
  WorkloadRegistry registry_;
  std::int32_t dtype_ = -1;
  std::string pass_;
  std::vector<std::string> keys_;
  std::vector<std::int64_t> values_;
};

TEST_F(Registry, DescribesItsWorkloads) {
  const std::vector<WorkloadInfo> infos = registry_.workloads();
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_EQ(infos[0].name, "demo");
  EXPECT_EQ(infos[0].help, "a demo");
  EXPECT_EQ(infos[0].plugin, "demo.so");
  ASSERT_EQ(infos[0].options.size(), 2u);
  EXPECT_EQ(infos[0].options[1].key, "depth");
  EXPECT_EQ(infos[0].options[1].max, 9);
  ASSERT_EQ(infos[0].presets.size(), 2u);
  EXPECT_EQ(infos[0].presets[1].name, "tiny");
  EXPECT_EQ(infos[0].presets[1].values.at("width"), 5);
}

TEST_F(Registry, APresetGivesEveryOptionAValueInDeclaredOrder) {
  build({.preset = "base", .dtype = ir::DType::bf16, .pass = "forward", .options = {}});
  EXPECT_THAT(keys_, ::testing::ElementsAre("width", "depth"));
  EXPECT_THAT(values_, ::testing::ElementsAre(50, 4));
  EXPECT_EQ(dtype_, GB_BF16);
  EXPECT_EQ(pass_, "forward");
}

TEST_F(Registry, OverridesReplaceThePresetsValues) {
  build({.preset = "tiny", .dtype = ir::DType::fp16, .pass = "forward", .options = {{"width", 77}}});
  EXPECT_THAT(values_, ::testing::ElementsAre(77, 2));
  EXPECT_EQ(dtype_, GB_FP16);
}

TEST_F(Registry, WhatIsUnknownIsAnsweredWithThoseThereAre) {
  expect_rejected(build({.preset = "tiny"}, "nope"), AllOf(HasSubstr("'nope'"), HasSubstr("demo")));
  expect_rejected(build({.preset = "huge"}), AllOf(HasSubstr("preset 'huge'"), HasSubstr("base, tiny")));
  expect_rejected(build({.preset = "tiny", .options = {{"heads", 2}}}),
                  AllOf(HasSubstr("option 'heads'"), HasSubstr("width, depth")));
  expect_rejected(build({.preset = "tiny", .pass = "backward"}),
                  AllOf(HasSubstr("pass 'backward'"), HasSubstr("forward, training")));
}

TEST_F(Registry, AValueOutsideItsOptionsBoundsOrADtypeOfIntegersIsRejected) {
  for (const std::int64_t value : {1, 10, -4}) {
    expect_rejected(build({.preset = "tiny", .options = {{"depth", value}}}),
                    HasSubstr("depth=" + std::to_string(value) + " is outside 2..9"));
  }
  expect_rejected(build({.preset = "tiny", .dtype = ir::DType::i32}), HasSubstr("dtype i32"));
}

TEST_F(Registry, AWorkloadIsToldThatItsProgramIsToBeTrained) {
  build({.preset = "tiny", .pass = "training"});
  EXPECT_EQ(pass_, "training");
}

TEST_F(Registry, ANameTakenBeforeIsRefusedAndNothingOfThePluginAdded) {
  RecordFixture workload, op;
  workload.op.kind = "second_op";
  op.workload.name = "second";
  EXPECT_THAT(outcome_of([&] { registry_.add(workload.plugin, "second.so"); }).message,
              HasSubstr("plugin second.so: workload 'demo' is taken already, by demo.so"));
  EXPECT_THAT(outcome_of([&] { registry_.add(op.plugin, "third.so"); }).message,
              HasSubstr("op kind 'demo_op' is taken already, by another plugin"));
  EXPECT_EQ(registry_.catalog().find("second_op"), nullptr);
  EXPECT_EQ(registry_.workloads().size(), 1u);
}

TEST(Text, NamesAreShortLowerCaseWords) {
  for (const char* name : {"mlp", "tiny-prefill", "rope_kv_append", "a1"}) EXPECT_TRUE(is_name(name)) << name;
  for (const char* name : {"", "Mlp", "1a", "-a", "a b", "a/b", "a,b", "a=b", "\xC3\xA9"}) {
    EXPECT_FALSE(is_name(name)) << name;
  }
  EXPECT_TRUE(is_name(std::string(64, 'a')));
  EXPECT_FALSE(is_name(std::string(65, 'a')));
}

TEST(Text, LinesHoldUtf8AndNoControlCharacters) {
  for (const char* line : {"", "plain", "\xC3\xA9t\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(is_line(line)) << line;
  }
  for (const char* line : {"a\nb", "a\tb", "\x1B[31m", "\x7F", "\xC2\x9B", "\xC3", "\x80", "\xFF"}) {
    EXPECT_FALSE(is_line(line)) << line;
  }
}

TEST(Text, OverlongFormsAndSurrogatesAreNoUtf8) {
  for (const char* line : {"\xC0\xAF", "\xE0\x82\xA9", "\xF0\x8F\xBF\xBF", "\xE0\x80\xAF", "\xF0\x80\x80\xAF",
                           "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(is_line(line));
  }
}

TEST(Text, PrintableReplacesWhatATerminalWouldActOn) {
  EXPECT_EQ(printable("two\nlines \x1B[0m \xFF end"), "two?lines ?[0m ? end");
  EXPECT_EQ(printable("\xC3\xA9"), "\xC3\xA9");
}

TEST(Text, PrintableCutsLongTextBetweenCharacters) {
  const std::string cut = printable("x" + std::string(300, 'a') + [] {
    std::string accents;
    for (int i = 0; i < 300; ++i) accents += "\xC3\xA9";
    return accents;
  }());
  EXPECT_TRUE(cut.ends_with("\xC3\xA9..."));
  EXPECT_LE(cut.size(), 515u);
  EXPECT_TRUE(is_line(cut.substr(0, cut.size() - 3)));
}

}  // namespace
}  // namespace graphbench::abi
