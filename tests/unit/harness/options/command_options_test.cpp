// Tests which value an option becomes, lists and ranges of numbers, traces of shapes, and refusals.
#include "harness/options/command_options.hpp"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "graphs/base/text.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/own_values.hpp"
#include "harness/options/raw_options.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::options {
namespace {

using testing::HasSubstr;

class OptionsTest : public testing::Test {
 protected:
  void parse(std::vector<std::string> words) {
    std::ranges::reverse(words);
    app_.parse(words);
    options_.check();
  }

  std::string refusal(const std::vector<std::string>& words) {
    return test::refusal([&] { parse(words); });
  }

  CLI::App app_{"", "thing"};
  Options options_{app_};
};

TEST_F(OptionsTest, ASweepsOptionsAreKeptAsWritten) {
  options_.sweep_options(option_names());
  parse({"--batch", "1,2", "--mode=eager", "--quiet", "--json", "-", "--seed", "-1"});
  const RawOptions raw = options_.sweep();
  EXPECT_EQ(raw.at("batch").at(0).text, "1,2");
  EXPECT_EQ(raw.at("batch").at(0).where, "--batch");
  EXPECT_EQ(raw.at("mode").at(0).text, "eager");
  EXPECT_EQ(raw.at("quiet").at(0).text, "true");
  EXPECT_EQ(raw.at("json").at(0).text, "-");
  EXPECT_EQ(raw.at("seed").at(0).text, "-1") << "it reaches the check that names it";
  EXPECT_EQ(raw.size(), 5u);
}

TEST_F(OptionsTest, RepeatableOptionsKeepEveryValueWithItsCommas) {
  options_.sweep_options({"plugin", "set"});
  parse({"--plugin", "a,b.so", "--plugin", "c.so", "--set", "a.b=1"});
  ASSERT_EQ(options_.sweep().at("plugin").size(), 2u);
  EXPECT_EQ(options_.sweep().at("plugin").at(0).text, "a,b.so");
}

TEST_F(OptionsTest, ACommandsOwnRowsAreShownReadAndRefusedWithoutEffect) {
  bool fast = false;
  std::int64_t count = 1;
  std::string file;
  options_.own({"--fast", "", "the words of a flag", into(fast), {[&] { return count > 1; }, "--count 2"}});
  options_.own({"--count", "N", "a number", into(count, {1, 9}, " is no count: give "), {}, "--file"});
  options_.own({"--file", "FILE", "a file", into(file), {}, {}, "-"});
  EXPECT_THAT(app_.help(), HasSubstr("the words of a flag"));
  EXPECT_EQ(refusal({"--count", "2"}), "--count: the option does nothing without --file: give --file too");
  app_.clear();
  EXPECT_EQ(refusal({"--fast"}), "--fast: the option would change nothing: give it only with --count 2");
  app_.clear();
  EXPECT_EQ(refusal({"--count", "10", "--file", "f"}), "--count: \"10\" is no count: give 1 to 9");
  app_.clear();
  parse({"--file", "--count", "3", "--fast"});
  EXPECT_TRUE(fast);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(file, "-");
}

TEST_F(OptionsTest, OtherOptionsMayBeGivenOnce) {
  std::string text;
  bool flag = false;
  std::vector<std::string> texts;
  options_.sweep_options({"batch"});
  options_.text("-t,--text", text, "TEXT", "");
  options_.flag("--flag", flag, "");
  options_.texts("--texts", texts, "TEXT", "");
  EXPECT_EQ(refusal({"--batch", "1", "--batch", "2"}),
            "--batch: the option is given 2 times: give the option once");
  EXPECT_EQ(refusal({"--text", "1", "-t", "2"}), "--text: the option is given 2 times: give the option once");
  EXPECT_EQ(refusal({"--flag", "--flag"}), "--flag: the option is given 2 times: give the option once");
  EXPECT_EQ(refusal({"--texts", "1", "--texts", "2"}), "accepted");
  EXPECT_EQ(texts.size(), 2u);
}

TEST_F(OptionsTest, AnEmptyValueIsRefusedWhereItMeansNothing) {
  std::string refused;
  std::string allowed;
  options_.text("--refused", refused, "TEXT", "");
  options_.text("--allowed", allowed, "TEXT", "", Options::Empty::allowed);
  EXPECT_EQ(refusal({"--refused", ""}),
            "--refused: the option is given without a value; see graphbench thing --help");
  EXPECT_EQ(refusal({"--allowed", ""}), "accepted");
}

TEST_F(OptionsTest, AHiddenOptionIsParsedAndNotInTheHelp) {
  options_.sweep_options({"batch", "json"}, {"json"});
  parse({"--json", "x"});
  EXPECT_TRUE(options_.given("--json"));
  EXPECT_EQ(options_.first_given(), "--json");
  EXPECT_THAT(app_.help(), testing::AllOf(HasSubstr("--batch"), testing::Not(HasSubstr("--json"))));
}

using testing::ElementsAre;

const NumberRules batch_rules{.noun = "batch"};
const NumberRules warmup_rules{.noun = "warmup count", .allow_zero = true};

std::vector<std::int64_t> batches(std::string_view text) {
  return parse_numbers("--batch", text, batch_rules);
}

std::string number_refusal(std::string_view text, const NumberRules& rules = batch_rules) {
  return test::refusal([&] { parse_numbers("--batch", text, rules); });
}

TEST(NumberList, HasListsAndRangesThatIncludeBothEnds) {
  EXPECT_THAT(batches("4,1,2"), ElementsAre(4, 1, 2)) << "a list keeps its order";
  EXPECT_THAT(batches("1:256:x2"), ElementsAre(1, 2, 4, 8, 16, 32, 64, 128, 256));
  EXPECT_THAT(batches("8:32:+8"), ElementsAre(8, 16, 24, 32));
  EXPECT_THAT(batches("1:100:x4"), ElementsAre(1, 4, 16, 64, 100)) << "steps do not hit the end";
  EXPECT_THAT(batches("1:10:+4"), ElementsAre(1, 5, 9, 10));
  EXPECT_THAT(batches("7:7:x2"), ElementsAre(7)) << "a range of one value";
  EXPECT_THAT(batches("7:7:+3"), ElementsAre(7));
  EXPECT_THAT(batches("3,8:32:x2,100"), ElementsAre(3, 8, 16, 32, 100));
  EXPECT_THAT(parse_numbers("--warmup", "0:4:+2,10", warmup_rules), ElementsAre(0, 2, 4, 10));
  EXPECT_EQ(batches("1:10000:+1").size(), 10000u);
}

TEST(NumberList, RangesNearTheLargestNumberDoNotOverflow) {
  EXPECT_THAT(batches("4611686018427387904:9223372036854775807:x2"),
              ElementsAre(4611686018427387904, INT64_MAX));
  EXPECT_THAT(batches("9223372036854775800:9223372036854775807:+5"),
              ElementsAre(9223372036854775800, 9223372036854775805, INT64_MAX));
}

TEST(NumberList, MalformedEntriesAreRefusedWithTheirReason) {
  // Reasons, with the texts that each refuses. A reason that begins with a blank follows the quoted text.
  const std::map<std::string, std::vector<std::string>> refused = {
      {" is not a batch", {"-1", "+1", "1.5", "1e3", "0x10", "eight", "8\n"}},
      {"\"\" is not a batch", {",", "1,", "1,,2"}},
      {"\"1 \" is not a batch", {"1 ,2"}},
      {"is not a batch", {"0:8:x2", ":8:x2"}},
      {"\"\" is not a list", {""}},
      {"is not a range", {"1:2", "1:8:2", "1:8:", "1:8:x"}},
      {"has a factor", {"1:8:x1", "1:8:x-2", "1:8:x2:3"}},
      {"has a step", {"1:8:+0"}},
      {"has an end below its start", {"8:1:x2"}},
      {"too large", {"9223372036854775808", "1:99999999999999999999:x2"}},
      {"2 is given twice", {"2,2"}},
      {"4 is given twice", {"1:8:x2,4"}},
      {"more than 10000", {"1:10001:+1", "1:9223372036854775807:+1"}}};
  for (const auto& [reason, texts] : refused) {
    for (const std::string& text : texts)
      EXPECT_THAT(number_refusal(text), HasSubstr((reason[0] == ' ' ? in_quotes(text) : "") + reason))
          << text;
  }
  EXPECT_THAT(number_refusal("0:8:x2", warmup_rules), HasSubstr("multiplies 0"));
  EXPECT_EQ(number_refusal("0"),
            "--batch: \"0\" is not a batch: give positive whole numbers, e.g. 1,2,4 or 1:256:x2");
}

std::string trace_refusal(const std::string& content) {
  return test::refusal([&] { return parse_shape_trace("steps.txt", content); });
}

TEST(ShapeTrace, HasAStepALineWithoutCommentsAndBlankLines) {
  const model::ShapeTrace trace =
      parse_shape_trace("steps.txt", "# sizes\n8 128\n\n  4\t256 # longer\r\n8 128");
  EXPECT_EQ(trace.file, "steps.txt");
  ASSERT_EQ(trace.steps.size(), 3u);
  EXPECT_EQ(trace.steps[1].batch, 4);
  EXPECT_EQ(trace.steps[1].sequence, 256);
  EXPECT_EQ(trace.steps[1].line, 4);
  EXPECT_EQ(trace.steps[2].line, 5);
  EXPECT_FALSE(parse_shape_trace("steps.txt", "8\n4\n").steps[1].sequence.has_value());
}

TEST(ShapeTrace, RefusesALineByFileLineAndValue) {
  EXPECT_EQ(trace_refusal("8\neight\n"), "steps.txt:2: \"eight\" is not a batch size: give 1 to 1073741824");
  EXPECT_EQ(trace_refusal("0 128\n"), "steps.txt:1: \"0\" is not a batch size: give 1 to 1073741824");
  EXPECT_EQ(trace_refusal("8 99999999999999999999\n"),
            "steps.txt:1: \"99999999999999999999\" is not a sequence length: give 1 to 1073741824");
  EXPECT_EQ(trace_refusal("8 128 # yes\n8 128 no\n"),
            "steps.txt:2: \"no\" is one field too many: give a batch size (8), or a batch size and a "
            "sequence length "
            "(8 128)");
  EXPECT_EQ(trace_refusal("8 128\n\n4\n"),
            "steps.txt:3: batch size 4 has no sequence length, in contrast to line 1: "
            "give a sequence length in all lines or in none");
  EXPECT_EQ(trace_refusal("# none\n"),
            "steps.txt:1: the file has no step: give one batch size per line, such as 8");
}

TEST(ShapeTrace, HasSoManyStepsAtMost) {
  std::string lines;
  for (int i = 0; i < 4096; ++i) lines += "8\n";
  EXPECT_EQ(trace_refusal(lines), "accepted");
  EXPECT_EQ(trace_refusal(lines + "7\n"),
            "steps.txt:4097: the file has more than 4096 steps: give fewer steps");
}

TEST(ShapeTrace, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(test::refusal([] { return read_shape_trace("--shape-trace", "/no/such/steps.txt"); }),
              testing::StartsWith("--shape-trace: \"/no/such/steps.txt\" cannot be read: No such"));
}

}  // namespace
}  // namespace graphbench::options
