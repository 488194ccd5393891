// Values without a format: what requests in JSON rely on, which have no lines to name.
#include "harness/config/document_options.hpp"

#include <gmock/gmock.h>

#include "harness/model/input_error.hpp"

namespace graphbench::config {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Array = DocumentValue::Array;
using Table = DocumentValue::Table;

std::string refusal(const std::string& key, const DocumentValue& given) {
  try {
    options_of({{key, given}});
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DocumentOptions, BecomeTheTextThatAFlagWouldHave) {
  const Array batches = {{"", "", std::int64_t{1}}, {"", "", std::string("8:32:x2")}};
  const RawOptions raw = options_of({{"batch", {"", "", batches}},
                                     {"time-per-cell", {"", "", 0.05}},
                                     {"profile", {"", "", true}},
                                     {"set", {"", "", Table{{"mlp.hidden", {"", "", std::int64_t{64}}}}}}});
  ASSERT_EQ(raw.at("batch").size(), 2u);
  EXPECT_EQ(raw.at("batch").at(1).text, "8:32:x2");
  EXPECT_EQ(raw.at("batch").at(1).where, "batch");
  EXPECT_EQ(raw.at("time-per-cell").at(0).text, "0.05");
  EXPECT_EQ(raw.at("profile").at(0).text, "true");
  EXPECT_EQ(raw.at("set").at(0).text, "mlp.hidden=64");
}

TEST(DocumentOptions, KeepThePlaceOfAFormatThatHasLines) {
  EXPECT_EQ(options_of({{"seed", {"f:2", "", std::int64_t{3}}}}).at("seed").at(0).where, "f:2: seed");
}

TEST(DocumentOptions, RefuseWhatAnOptionDoesNotTake) {
  EXPECT_THAT(refusal("batch", {"", "a boolean", true}),
              StartsWith("batch: a boolean will not do: give a whole number"));
  EXPECT_THAT(refusal("mode", {"f:1", "null"}), StartsWith("f:1: mode: null will not do"));
  EXPECT_THAT(refusal("mode", {"", "an object", Table()}), HasSubstr("an object will not do"));
  EXPECT_THAT(refusal("preset", {"", "an array", Array()}), HasSubstr("an array will not do"));
  EXPECT_THAT(refusal("batch", {"", "an array", Array()}), HasSubstr("the array is empty"));
  EXPECT_THAT(refusal("set", {"", "an object", Table{{"mlp.hidden", {"", "", 0.5}}}}),
              HasSubstr("give a whole number"));
  EXPECT_THAT(refusal("bacth", {"", "a boolean", true}), HasSubstr("did you mean \"batch\"?"));
}

}  // namespace
}  // namespace graphbench::config
