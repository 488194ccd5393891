// Tests how TOML becomes options: values by kind, refusals with their place, letters outside of strings.
#include "harness/options/document_options.hpp"

#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"

namespace graphbench::options {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string document_refusal(const std::string& text) {
  return test::refusal([&] { check_options(parse_toml(text, "sweep.toml")); });
}

TEST(TomlFile, TakesEveryKindOfOption) {
  const SweepOptions options =
      check_options(parse_toml("workload = [\"mlp\", \"conv\"]\n"
                               "mode = \"eager,whole\"\n"
                               "batch = [1, \"8:32:x2\"]\n"
                               "warmup = 3\n"
                               "launches = 2\n"
                               "time-per-cell = 0.1\n"
                               "worker-timeout = 5\n"
                               "quiet = true\n"
                               "split-ops = [\"sdpa\"]\n",
                               "sweep.toml"));
  EXPECT_THAT(options.axes.workload, ElementsAre("mlp", "conv"));
  EXPECT_THAT(options.axes.mode, ElementsAre("eager", "whole"));
  EXPECT_THAT(options.axes.batch, ElementsAre(1, 8, 16, 32));
  EXPECT_THAT(options.axes.warmup, ElementsAre(3));
  EXPECT_EQ(options.launches, 2);
  EXPECT_DOUBLE_EQ(options.sampling.seconds_max, 0.1);
  EXPECT_DOUBLE_EQ(options.worker_timeout_seconds, 5);
  EXPECT_TRUE(options.quiet);
  EXPECT_FALSE(check_options(parse_toml("quiet = false\n", "f")).quiet);
  EXPECT_THAT(options.split_ops, ElementsAre("sdpa"));
}

TEST(TomlFile, SetHasSeveralSpellings) {
  for (const char* text :
       {"[set]\n\"mlp.hidden\" = 2048\n", "[set]\nmlp.hidden = 2048\n", "[set.mlp]\nhidden = 2048\n",
        "set = [\"mlp.hidden=2048\"]\n", "set = \"mlp.hidden=2048\"\n"}) {
    const SweepOptions options = check_options(parse_toml(text, "sweep.toml"));
    ASSERT_EQ(options.set.size(), 1u) << text;
    EXPECT_EQ(options.set[0].workload, "mlp");
    EXPECT_EQ(options.set[0].key, "hidden");
    EXPECT_EQ(options.set[0].value, 2048);
    EXPECT_FALSE(options.set[0].from_flag);
  }
}

TEST(TomlFile, MalformedTextIsNamedByFileAndLine) {
  EXPECT_THAT(document_refusal("batch = 1\nwarmup = = 2\n"), StartsWith("sweep.toml:2: "));
  EXPECT_THAT(document_refusal("batch = [1,\n"), StartsWith("sweep.toml:"));
  EXPECT_THAT(document_refusal("seed = 1\nseed = 2\n"), StartsWith("sweep.toml:2: "));
  EXPECT_THAT(document_refusal("batch = \"\xff\"\n"), StartsWith("sweep.toml:1: "));
  EXPECT_THAT(document_refusal("a = \"\n\"\n"), testing::Not(HasSubstr("\n")));
  EXPECT_THAT(document_refusal("bat\u0185 = 2\n"), StartsWith("sweep.toml:1: a non-ASCII letter"));
  EXPECT_NE(document_refusal("batch = 1\n[= 64\n"), "accepted") << "what the parser asserts";
}

TEST(TomlFile, UnknownKeysAreNamedWithTheNearestKnownOne) {
  EXPECT_THAT(document_refusal("\n\nbacth = 1\n"),
              StartsWith("sweep.toml:3: \"bacth\" is not a key of a sweep; did you mean \"batch\"?"));
  EXPECT_THAT(document_refusal("config = \"other.toml\"\n"), HasSubstr("\"config\" is not a key"));
  EXPECT_THAT(document_refusal("sweep = true\n"), HasSubstr("\"sweep\" is not a key"));
}

TEST(TomlFile, WrongTypesAreNamedWithWhatWouldDo) {
  EXPECT_THAT(document_refusal("batch = true\n"),
              StartsWith("sweep.toml:1: batch: a boolean is not valid: give a whole number"));
  EXPECT_THAT(document_refusal("batch = 1.5\n"), HasSubstr("a number with a fraction is not valid"));
  EXPECT_THAT(document_refusal("batch = [[1]]\n"), HasSubstr("an array is not valid"));
  EXPECT_THAT(document_refusal("seed = \"1\"\n"), HasSubstr("a string is not valid: give a whole number"));
  EXPECT_THAT(document_refusal("device = [\"host\"]\n"), HasSubstr("an array is not valid: give a string"));
  EXPECT_THAT(document_refusal("device = 3\n"), HasSubstr("an integer is not valid"));
  EXPECT_THAT(document_refusal("quiet = 1\n"), HasSubstr("give true or false"));
  EXPECT_THAT(document_refusal("json = 1979-05-27\n"), HasSubstr("a date or time is not valid"));
  EXPECT_THAT(document_refusal("[workload]\nmlp = 1\n"), HasSubstr("a table is not valid"));
  EXPECT_THAT(document_refusal("[set]\nmlp.hidden = \"big\"\n"),
              HasSubstr("set.mlp.hidden: a string is not valid"));
  EXPECT_THAT(document_refusal("batch = []\n"), HasSubstr("the array is empty"));
}

TEST(TomlFile, BadValuesAreNamedByTheirLine) {
  EXPECT_THAT(document_refusal("seed = 1\nbatch = [1, 0]\n"),
              StartsWith("sweep.toml:2: batch: \"0\" is not a batch"));
  EXPECT_THAT(document_refusal("mode = [\n\"eager\",\n\"hole\"]\n"), HasSubstr("\"hole\" is not a mode"));
}

TEST(TomlFile, AFileThatCannotBeReadIsRefused) {
  EXPECT_THROW(read_toml_file("/no/such/file.toml"), InputError);
  EXPECT_THROW(read_toml_file("/"), InputError);
}

// The line of the fault; 0 if there is no fault.
std::size_t fault_line(std::string_view toml) {
  const auto fault = fault_before_parsing(toml);
  return fault ? fault->line : 0;
}

TEST(TomlAscii, LettersInStringsAndCommentsAreFine) {
  for (const char* toml :
       {"", "a = 1\n", "a = \"\u0185\" # \u0185\n", "'\u0185' = '\u0185'", "a = \"\\\"\u0185\"",
        "a = \"\"\"\n\u0185\"\u0185\\\"\"\"\"", "a = '''\n\u0185''\u0185''''' # \u0185",
        "\xEF\xBB\xBF"
        "a = 1\n",
        "a = [\"\"\"\"x\"\"\"\", \"\u0185\"]"}) {
    EXPECT_EQ(fault_line(toml), 0u) << toml;
  }
}

TEST(TomlAscii, ALetterElsewhereIsFoundByItsLine) {
  EXPECT_EQ(fault_line("\u0185 = 1"), 1u);
  EXPECT_EQ(fault_line("a = 1\nb\u0185 = 1"), 2u);
  EXPECT_EQ(fault_line("a = \"\"\"\n\n\"\"\"\nb = \u0185"), 4u);
  EXPECT_EQ(fault_line("a = \"unfinished\nb = \u0185"), 2u);
  EXPECT_EQ(fault_line("a = 'b\\'\u0185"), 1u) << "a literal string escapes nothing";
}

std::string key_of(int parts, const std::string& part = "a", const std::string& dot = ".") {
  std::string key = part;
  for (int i = 1; i < parts; ++i) key += dot + part;
  return key;
}

TEST(TomlKeys, SixteenPartsAreFineAndDotsElsewhereAreNoParts) {
  const std::string dots(100, '.');
  for (const std::string& toml :
       {key_of(16) + " = 1", "[" + key_of(16) + "]\n" + key_of(16) + " = 1",
        key_of(16, "\"" + dots + "\"") + "=1", "a = '" + dots + "' # " + dots,
        "a = \"\"\"\n" + dots + "\"" + dots + "\"\"\"\"\n", "a = [" + key_of(50, "1.5", ", ") + "]",
        "a = [\n" + key_of(50, "1.5", ",\n") + "]"}) {
    EXPECT_EQ(fault_line(toml), 0u) << toml;
  }
}

TEST(TomlKeys, AKeyOfMorePartsIsFoundByItsLine) {
  const std::string deep = key_of(17);
  for (const std::string& toml :
       {deep + " = 1", "[" + deep + "]", "[[" + deep + "]]", "a = {" + deep + " = 1}",
        key_of(17, "a", " . ") + " = 1", key_of(17, "\"b\"") + " = 1", key_of(17, "'b'") + " = 1",
        key_of(17, "\"\\\"\"") + " = 1", key_of(17, "'\\'") + " = 1",
        "a = {b = \"\"\"c\"\"\"\"\", " + deep + " = 1}", "a = {b = \"\", " + deep + " = 1}",
        "a = {b = '''c\\''', " + deep + " = 1}"}) {
    EXPECT_EQ(fault_line("x = 1 # \"\n" + toml), 2u) << toml;
  }
}

TEST(TomlKeys, DepthEndsNoProcess) {
  const std::string deep = key_of(20'000) + "=1";
  EXPECT_TRUE(
      document_refusal("batch = 1\n" + deep).starts_with("sweep.toml:2: a key has more than 16 parts"));
  std::string tables = "[" + key_of(16) + "]\n";
  for (int i = 0; i < 2000; ++i) tables += key_of(16) + "={";
  EXPECT_TRUE(document_refusal(tables).starts_with("sweep.toml:2: ")) << document_refusal(tables);
}

}  // namespace
}  // namespace graphbench::options
