// Letters are found where they may not stand, and nowhere else.
#include "harness/config/toml_ascii.hpp"

#include <gtest/gtest.h>

#include "harness/config/toml_file.hpp"
#include "harness/model/input_error.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::config {
namespace {

TEST(TomlAscii, LettersInStringsAndCommentsAreFine) {
  for (const char* toml :
       {"", "a = 1\n", "a = \"\u0185\" # \u0185\n", "'\u0185' = '\u0185'", "a = \"\\\"\u0185\"",
        "a = \"\"\"\n\u0185\"\u0185\\\"\"\"\"", "a = '''\n\u0185''\u0185''''' # \u0185",
        "\xEF\xBB\xBF"
        "a = 1\n",
        "a = [\"\"\"\"x\"\"\"\", \"\u0185\"]"}) {
    EXPECT_EQ(line_of_misplaced_letter(toml), std::nullopt) << toml;
  }
}

TEST(TomlAscii, ALetterElsewhereIsFoundByItsLine) {
  EXPECT_EQ(line_of_misplaced_letter("\u0185 = 1"), 1u);
  EXPECT_EQ(line_of_misplaced_letter("a = 1\nb\u0185 = 1"), 2u);
  EXPECT_EQ(line_of_misplaced_letter("a = \"\"\"\n\n\"\"\"\nb = \u0185"), 4u);
  EXPECT_EQ(line_of_misplaced_letter("a = \"unfinished\nb = \u0185"), 2u);
  EXPECT_EQ(line_of_misplaced_letter("a = 'b\\'\u0185"), 1u) << "a literal string escapes nothing";
}

TEST(TomlAscii, SuchAFileIsRefusedByItsLine) {
  const std::string refused = test::refusal([&] { parse_toml("batch = 1\nbat\u0185 = 2\n", "sweep.toml"); });
  EXPECT_TRUE(refused.starts_with("sweep.toml:2: a letter beyond ASCII")) << refused;
}

TEST(TomlAscii, WhatTheParserAssertsIsRefusedToo) {
  EXPECT_THROW(parse_toml("batch = 1\n[= 64\n", "sweep.toml"), InputError);
}

}  // namespace
}  // namespace graphbench::config
