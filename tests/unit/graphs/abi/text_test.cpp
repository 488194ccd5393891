// Names, lines and the cleaning of foreign text.
#include "graphs/abi/text.hpp"

#include <gtest/gtest.h>

namespace graphbench::abi {
namespace {

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
