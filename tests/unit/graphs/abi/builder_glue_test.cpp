// Tests the C function table over a ProgramBuilder: the built program, and the effects of each refused call.
#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

#include "tests/unit/graphs/abi/abi_fixture.hpp"

namespace graphbench::abi {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr gb_init kUniform = {GB_UNIFORM, 0, -1.0, 1.0};
constexpr gb_dim kRows[] = {{1, 0}, {0, 8}};

struct Builder {
  gb_builder* handle;
  const gb_builder_api& api;

  std::int32_t input(const char* name = "x") const {
    return api.value(handle, GB_INPUT, name, GB_FP32, kRows, 2, kUniform);
  }
  std::int32_t op(const char* kind, const char* name, std::vector<std::int32_t> inputs, std::int32_t* output,
                  std::vector<gb_attr> attrs = {}) const {
    return api.op(handle, kind, name, inputs.data(), static_cast<std::int32_t>(inputs.size()), attrs.data(),
                  static_cast<std::int32_t>(attrs.size()), output, 1);
  }
};

ir::Program build_with(const std::function<int(const Builder&)>& body) {
  RecordFixture fixture;
  fixture.body = [&](const gb_build_request&, gb_builder* handle, const gb_builder_api& api) {
    return body(Builder{handle, api});
  };
  fixture.add();
  return fixture.registry.build(
      "demo", {.preset = "tiny", .dtype = ir::DType::fp32, .pass = "forward", .options = {}});
}

using Calls = std::function<std::int32_t(const Builder&)>;

void expect_failed(const Calls& body, const ::testing::Matcher<std::string>& text) {
  const Outcome outcome = outcome_of([&] { build_with(body); });
  EXPECT_THAT(outcome.message, AllOf(StartsWith("plugin demo.so: workload demo: "), text));
  EXPECT_EQ(outcome.code, ErrorCode::plugin_failed);
}

void expect_refused(const Calls& call, const ::testing::Matcher<std::string>& text) {
  expect_failed([&](const Builder& b) { return call(b) < 0 ? 1 : 0; }, text);
}

TEST(BuilderGlue, BuildsWhatTheWorkloadSays) {
  const ir::Program program = build_with([](const Builder& b) {
    std::int32_t x = b.input();
    std::int32_t y = -1;
    const gb_dim weight[] = {{0, 4}, {0, 8}};
    const std::int32_t w =
        b.api.value(b.handle, GB_WEIGHT, "w", GB_FP32, weight, 2, gb_init{GB_CONSTANT, 0, 0.5, 0.0});
    const gb_attr activation = {"activation", GB_ATTR_TEXT, 0, 0, 0.0, "relu"};
    EXPECT_EQ(b.op("linear", "product", {x, w}, &y, {activation}), 1);
    EXPECT_EQ(b.op("softmax", "shares", {y}, &y), 1);
    const char* split = "softmax";
    EXPECT_EQ(b.api.split_at(b.handle, &split, 1), 0);
    EXPECT_EQ(b.api.mark_output(b.handle, y), 0);
    return 0;
  });
  EXPECT_EQ(program.name(), "demo/tiny/fp32");
  ASSERT_EQ(program.ops().size(), 2u);
  EXPECT_EQ(ir::text_attribute(program.ops()[0], "activation"), "relu");
  EXPECT_EQ(program.values_of(ir::ValueKind::input).size(), 1u);
  const ir::Value& weight = program.value(program.values_of(ir::ValueKind::weight).at(0));
  EXPECT_EQ(weight.name, "w");
  EXPECT_EQ(weight.init.kind, ir::Init::Kind::constant);
  EXPECT_EQ(weight.init.low, 0.5);
  const ir::Value& output = program.value(program.values_of(ir::ValueKind::output).at(0));
  EXPECT_EQ(output.shape, (ir::Shape{ir::of_batch(), ir::fixed_dim(4)}));
  EXPECT_THAT(program.default_splits(), ::testing::ElementsAre("softmax"));
}

TEST(BuilderGlue, TheFirstRefusalIsKeptAndLaterCallsAreRefusedToo) {
  std::int32_t later = 0;
  expect_refused(
      [&](const Builder& b) {
        std::int32_t y = 0;
        const std::int32_t first = b.op("no_such_kind", "wrong", {}, &y);
        later = b.input();
        b.api.fail(b.handle, "a consequence");
        return first;
      },
      AllOf(HasSubstr("no_such_kind"), ::testing::Not(HasSubstr("consequence"))));
  EXPECT_LT(later, 0);
}

TEST(BuilderGlue, AFailureIsAnErrorWhateverBuildReturns) {
  using B = const Builder&;
  const auto built_well = [](B b) {
    std::int32_t x = b.input();
    b.op("relu", "y", {x}, &x);
    b.api.mark_output(b.handle, x);
  };
  expect_failed(
      [&](B b) {
        built_well(b);
        b.api.mark_output(b.handle, 99);
        return 0;
      },
      HasSubstr("99"));
  expect_failed(
      [&](B b) {
        built_well(b);
        b.api.fail(b.handle, "changed my mind");
        return 0;
      },
      HasSubstr("changed my mind"));
  expect_failed([](B) { return 42; }, HasSubstr("build returned 42 and no reason"));
  expect_failed([](B b) { return b.input(); }, HasSubstr("no output"));
  expect_failed([](B) -> int { throw std::runtime_error("oh\nno"); },
                HasSubstr("build: threw an exception: oh?no"));
  expect_failed([](B) -> int { throw 5; }, HasSubstr("build: threw a value that is not a std::exception"));
}

TEST(BuilderGlue, ValuesAreCheckedFieldByField) {
  struct Given {
    gb_value_kind kind = GB_INPUT;
    const char* name = "x";
    const gb_dim* dims = kRows;
    std::int32_t rank = 2;
    gb_init init = kUniform;
  };
  const auto refused = [](const Given& given, const char* text) {
    expect_refused(
        [&](const Builder& b) {
          return b.api.value(b.handle, given.kind, given.name, GB_FP32, given.dims, given.rank, given.init);
        },
        HasSubstr(text));
  };
  const gb_dim negative[] = {{-1, 9}};
  const gb_dim nothing[] = {{0, 0}};
  refused({.name = nullptr}, "null");
  refused({.name = ""}, "''");
  refused({.name = "a\nb"}, "'a?b'");
  refused({.kind = static_cast<gb_value_kind>(3)}, "kind 3");
  refused({.dims = nullptr}, "dims is null");
  refused({.rank = 0}, "rank 0");
  refused({.rank = 9}, "rank 9");
  refused({.dims = negative, .rank = 1}, "-1 * batch");
  refused({.dims = nothing, .rank = 1}, "0 * batch + 0");
  refused({.init = {7, 0, 0, 1}}, "init kind 7");
  refused({.init = {GB_UNIFORM, 0, 1, 1}}, "init");
  refused({.init = {GB_CONSTANT, 0, std::numeric_limits<double>::quiet_NaN(), 0}}, "init");
  expect_refused([&](const Builder& b) { return b.input("x") < 0 ? 0 : b.input("x"); },
                 HasSubstr("already in use"));
}

TEST(BuilderGlue, OpsAreCheckedFieldByField) {
  using B = const Builder&;
  std::int32_t y = 0;
  const std::int32_t x = 0;
  struct Given {
    const std::int32_t* inputs = nullptr;
    std::int32_t count = 0;
    const gb_attr* attrs = nullptr;
    std::int32_t attr_count = 0;
    std::int32_t* outputs = nullptr;
    std::int32_t capacity = 1;
  };
  const auto refused = [&](const Given& given, const char* text) {
    expect_refused(
        [&](B b) {
          return given.count == 1 && given.inputs != nullptr && b.input() < 0
                     ? 0
                     : b.api.op(b.handle, "relu", "y", given.inputs, given.count, given.attrs,
                                given.attr_count, given.outputs, given.capacity);
        },
        HasSubstr(text));
  };
  const gb_attr wild = {"a", 9, 0, 0, 0.0, nullptr};
  const gb_attr no_text = {"a", GB_ATTR_TEXT, 0, 0, 0.0, nullptr};
  const gb_attr infinite = {"a", GB_ATTR_REAL, 0, 0, std::numeric_limits<double>::infinity(), nullptr};
  const gb_attr twice[] = {{"a", GB_ATTR_INT, 0, 1, 0.0, nullptr}, {"a", GB_ATTR_INT, 0, 2, 0.0, nullptr}};
  expect_refused([&](B b) { return b.op(nullptr, "y", {}, &y); }, HasSubstr("kind is null"));
  expect_refused([&](B b) { return b.op("relu", nullptr, {}, &y); }, HasSubstr("name of an op is null"));
  expect_refused([&](B b) { return b.op("relu", "y", {-1}, &y); }, HasSubstr("input 0 is -1"));
  expect_refused([&](B b) { return b.op("relu", "y", {12}, &y); }, HasSubstr("12"));
  refused({.count = 1, .outputs = &y}, "inputs is null");
  refused({.inputs = &x, .count = -1, .outputs = &y}, "-1 inputs");
  refused({.inputs = &x, .count = 65, .outputs = &y}, "65 inputs");
  refused({.attr_count = 1, .outputs = &y}, "attributes is null");
  refused({.attrs = &wild, .attr_count = 1, .outputs = &y}, "type 9");
  refused({.attrs = &no_text, .attr_count = 1, .outputs = &y}, "attribute 'a' is null");
  refused({.attrs = &infinite, .attr_count = 1, .outputs = &y}, "not finite");
  refused({.attrs = twice, .attr_count = 2, .outputs = &y}, "given twice");
  refused({.inputs = &x, .count = 1, .outputs = &y, .capacity = 0}, "output_capacity is 0");
  refused({.inputs = &x, .count = 1}, "output_capacity is 0");
}

TEST(BuilderGlue, OutputsAndSplitsAreChecked) {
  using B = const Builder&;
  const char* null_split = nullptr;
  expect_refused([](B b) { return b.api.mark_output(b.handle, -3); }, HasSubstr("-3"));
  expect_refused([](B b) { return b.api.mark_output(b.handle, b.input()); }, HasSubstr("x"));
  expect_refused([](B b) { return b.api.split_at(b.handle, nullptr, 2); }, HasSubstr("splits is null"));
  expect_refused([&](B b) { return b.api.split_at(b.handle, &null_split, 1); }, HasSubstr("split is null"));
}

TEST(BuilderGlue, PadValuesBelongToInputsAndAreFinite) {
  using B = const Builder&;
  const ir::Program program = build_with([](B b) {
    std::int32_t x = b.input();
    EXPECT_EQ(b.api.pad_with(b.handle, x, -1), 0);
    std::int32_t y = -1;
    EXPECT_EQ(b.op("softmax", "shares", {x}, &y), 1);
    EXPECT_EQ(b.api.mark_output(b.handle, y), 0);
    return 0;
  });
  EXPECT_EQ(program.value(program.values_of(ir::ValueKind::input).at(0)).pad, -1);
  expect_refused([](B b) { return b.api.pad_with(b.handle, -3, 0); }, HasSubstr("-3"));
  expect_refused([](B b) { return b.api.pad_with(b.handle, 7, 0); }, HasSubstr("not an input"));
  expect_refused(
      [](B b) {
        std::int32_t y = -1;
        b.op("softmax", "shares", {b.input()}, &y);
        return b.api.pad_with(b.handle, y, 0);
      },
      HasSubstr("value 1 is not an input"));
  expect_refused(
      [](B b) { return b.api.pad_with(b.handle, b.input(), std::numeric_limits<double>::quiet_NaN()); },
      HasSubstr("not finite"));
}

TEST(BuilderGlue, HooksAreKeptForTraining) {
  using B = const Builder&;
  const auto weight = [](B b) {
    const gb_dim square[] = {{0, 8}, {0, 8}};
    return b.api.value(b.handle, GB_WEIGHT, "w", GB_FP32, square, 2, kUniform);
  };
  const ir::Program program = build_with([&](B b) {
    const gb_attr scale = {"scale", GB_ATTR_REAL, 0, 0, 0.5, nullptr};
    const std::int32_t x = b.input();
    const std::int32_t w = weight(b);
    EXPECT_EQ(b.api.hook(b.handle, w, GB_HOOK_POST_ACCUMULATE, "demo_op", "halve", &scale, 1), 0);
    std::int32_t y = -1;
    EXPECT_EQ(b.op("linear", "y", {x, w}, &y), 1);
    EXPECT_EQ(b.api.mark_output(b.handle, y), 0);
    return 0;
  });
  EXPECT_EQ(program.ops().size(), 1u);
  ASSERT_EQ(program.hooks().size(), 1u);
  const ir::GradientHook& hook = program.hooks()[0];
  EXPECT_EQ(program.value(hook.weight).name, "w");
  EXPECT_EQ(hook.place, ir::HookPlace::post_accumulate);
  EXPECT_EQ(hook.kind + " " + hook.name, "demo_op halve");
  EXPECT_EQ(std::get<double>(hook.attributes.at("scale")), 0.5);
  const auto refused = [&](std::int32_t place, const char* kind, bool of_input, const char* text) {
    expect_refused(
        [&](B b) {
          return b.api.hook(b.handle, of_input ? b.input() : weight(b), place, kind, "h", nullptr, 0);
        },
        HasSubstr(text));
  };
  refused(GB_HOOK_PRE, "relu", true, "hook h: value 0 is not a weight of floats");
  refused(GB_HOOK_PRE, "rleu", false, "unknown op kind \"rleu\"");
  refused(GB_HOOK_PRE, nullptr, false, "hook 'h': kind is null");
  refused(7, "relu", false, "place 7 is not a gb_hook_place");
  expect_refused([](B b) { return b.api.hook(b.handle, -4, GB_HOOK_PRE, "relu", "h", nullptr, 0); },
                 HasSubstr("-4 is not a value's id"));
}

}  // namespace
}  // namespace graphbench::abi
