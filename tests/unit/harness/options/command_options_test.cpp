// What an option becomes, and what is refused in words of ours.
#include "harness/options/command_options.hpp"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "harness/options/option_table.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::cli {
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
  options_.sweep_options(config::option_names());
  parse({"--batch", "1,2", "--mode=eager", "--quiet", "--json", "-", "--seed", "-1"});
  const config::RawOptions raw = options_.sweep();
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

TEST_F(OptionsTest, OtherOptionsMayBeGivenOnce) {
  std::string text;
  bool flag = false;
  std::vector<std::string> texts;
  options_.sweep_options({"batch"});
  options_.text("-t,--text", text, "TEXT", "");
  options_.flag("--flag", flag, "");
  options_.texts("--texts", texts, "TEXT", "");
  EXPECT_EQ(refusal({"--batch", "1", "--batch", "2"}), "--batch: it is given 2 times: give it once");
  EXPECT_EQ(refusal({"--text", "1", "-t", "2"}), "--text: it is given 2 times: give it once");
  EXPECT_EQ(refusal({"--flag", "--flag"}), "--flag: it is given 2 times: give it once");
  EXPECT_EQ(refusal({"--texts", "1", "--texts", "2"}), "accepted");
  EXPECT_EQ(texts.size(), 2u);
}

TEST_F(OptionsTest, AnEmptyValueIsRefusedWhereItMeansNothing) {
  std::string refused;
  std::string allowed;
  options_.text("--refused", refused, "TEXT", "");
  options_.text("--allowed", allowed, "TEXT", "", Options::Empty::allowed);
  EXPECT_EQ(refusal({"--refused", ""}),
            "--refused: it is given without a value; see graphbench thing --help");
  EXPECT_EQ(refusal({"--allowed", ""}), "accepted");
}

TEST_F(OptionsTest, AHiddenOptionIsParsedAndNotInTheHelp) {
  options_.sweep_options({"batch", "json"}, {"json"});
  parse({"--json", "x"});
  EXPECT_TRUE(options_.given("--json"));
  EXPECT_EQ(options_.first_given(), "--json");
  EXPECT_THAT(app_.help(), testing::AllOf(HasSubstr("--batch"), testing::Not(HasSubstr("--json"))));
}

}  // namespace
}  // namespace graphbench::cli
