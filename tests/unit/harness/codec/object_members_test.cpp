// Which members an object has, and which texts are none.
#include "harness/codec/object_members.hpp"

#include <gmock/gmock.h>

#include "harness/model/input_error.hpp"

namespace graphbench::codec {
namespace {

// The padding is of quotes and braces, which nobody may take for a part of the text.
std::string padded(const std::string& text) {
  return text + std::string(text_padding, '}');
}

bool is_object(const std::string& text) {
  return members_of(std::string_view(padded(text)).substr(0, text.size())).has_value();
}

TEST(ObjectMembers, EachHasItsNameAndValue) {
  const std::string json = R"({"a": "x\ny", "b": true, "c": {"d": [1, {"e": "}"}]}, "f": 1, "g\"": []})";
  const std::string text = padded(json);
  const auto members = members_of(std::string_view(text).substr(0, json.size()));
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 5u);
  EXPECT_EQ(members->at(0).kind, Member::Kind::text);
  EXPECT_EQ(members->at(0).text, "x\ny");
  EXPECT_EQ(members->at(1).kind, Member::Kind::truth);
  EXPECT_TRUE(members->at(1).truth);
  EXPECT_EQ(members->at(2).kind, Member::Kind::object);
  EXPECT_THAT(std::string(members->at(2).raw), testing::StartsWith(R"({"d": [1, {"e": "}"}]})"));
  EXPECT_EQ(members->at(3).kind, Member::Kind::other);
  EXPECT_EQ(members->at(4).name, "g\"");
  EXPECT_EQ(members->at(4).kind, Member::Kind::other);
}

TEST(ObjectMembers, WhatIsNotOneObjectIsNone) {
  EXPECT_TRUE(is_object("{}"));
  for (const char* text :
       {"", " ", "{", "[]", "\"a\"", "1", "null", "{} {}", "{}x", "{\"a\"}", "{\"a\": ", "{\"a\": \"b}",
        "{\"a\": \"\xff\"}", "{\"a\": {}", "{a: 1}", "{\"a\": 1 \"b\": 2}"}) {
    EXPECT_FALSE(is_object(text)) << text;
  }
}

TEST(ObjectMembers, AMemberStandsThereOnce) {
  EXPECT_THROW(is_object(R"({"a": 1, "a": 2})"), InputError);
}

}  // namespace
}  // namespace graphbench::codec
