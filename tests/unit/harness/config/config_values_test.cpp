// Values without a format: what requests in JSON rely on, which have no lines to name.
#include "harness/config/config_values.hpp"

#include <gmock/gmock.h>

#include "harness/model/input_error.hpp"

namespace graphbench::config {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ConfigValue value(decltype(ConfigValue::data) data) {
  return {std::move(data), ""};
}

std::string refusal(const std::string& key, const ConfigValue& given) {
  try {
    raw_options({{key, "", given}});
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConfigValues, BecomeTheTextThatAFlagWouldHave) {
  const RawOptions raw = raw_options({
      {"batch", "", value(std::vector<ConfigValue>{value(std::int64_t{1}), value(std::string("8:32:x2"))})},
      {"time-per-cell", "", value(0.05)},
      {"profile", "", value(true)},
      {"set", "", value(std::vector<ConfigEntry>{{"mlp.hidden", "", value(std::int64_t{64})}})},
  });
  ASSERT_EQ(raw.at("batch").size(), 2u);
  EXPECT_EQ(raw.at("batch").at(1).text, "8:32:x2");
  EXPECT_EQ(raw.at("batch").at(1).where, "batch");
  EXPECT_EQ(raw.at("time-per-cell").at(0).text, "0.05");
  EXPECT_EQ(raw.at("profile").at(0).text, "true");
  EXPECT_EQ(raw.at("set").at(0).text, "mlp.hidden=64");
}

TEST(ConfigValues, KeepThePlaceOfAFormatThatHasLines) {
  EXPECT_EQ(raw_options({{"seed", "f:2", {std::int64_t{3}, "f:2"}}}).at("seed").at(0).where, "f:2: seed");
}

TEST(ConfigValues, RefuseWhatAnOptionDoesNotTake) {
  EXPECT_THAT(refusal("batch", value(true)), StartsWith("batch: a boolean will not do: give a whole number"));
  EXPECT_THAT(refusal("mode", value(std::monostate())), HasSubstr("will not do"));
  EXPECT_THAT(refusal("mode", value(std::vector<ConfigEntry>())), HasSubstr("a table will not do"));
  EXPECT_THAT(refusal("preset", value(std::vector<ConfigValue>())), HasSubstr("an array will not do"));
  EXPECT_THAT(refusal("batch", value(std::vector<ConfigValue>())), HasSubstr("the array is empty"));
  EXPECT_THAT(refusal("set", value(std::vector<ConfigEntry>{{"mlp.hidden", "", value(0.5)}})),
              HasSubstr("give a whole number"));
  EXPECT_THAT(refusal("bacth", value(true)), HasSubstr("did you mean \"batch\"?"));
}

}  // namespace
}  // namespace graphbench::config
