// What a registry answers, and how a choice of preset and options becomes the values build() sees.
#include <gmock/gmock.h>

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

}  // namespace
}  // namespace graphbench::abi
