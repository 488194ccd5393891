// The command line: what it becomes, and the one line a mistake gets.
#include "harness/cli/arguments.hpp"

#include <gmock/gmock.h>

#include "harness/config/input_error.hpp"

namespace graphbench::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Arguments parse(std::vector<const char*> words) {
  words.insert(words.begin(), "graphbench");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

std::string refusal(const std::vector<const char*>& words) {
  try {
    parse(words);
  } catch (const config::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Arguments, ASweepKeepsItsOptionsAsWritten) {
  const Arguments arguments = parse({"--sweep", "--batch", "1,2", "--mode=eager", "--quiet", "--json", "-"});
  EXPECT_EQ(arguments.command, Command::sweep);
  EXPECT_EQ(arguments.options.at("batch").at(0).text, "1,2");
  EXPECT_EQ(arguments.options.at("batch").at(0).where, "--batch");
  EXPECT_EQ(arguments.options.at("mode").at(0).text, "eager");
  EXPECT_EQ(arguments.options.at("quiet").at(0).text, "true");
  EXPECT_EQ(arguments.options.at("json").at(0).text, "-");
  EXPECT_EQ(arguments.options.size(), 4u);
  EXPECT_EQ(arguments.argv.size(), 8u);
}

TEST(Arguments, RepeatableOptionsKeepEveryValueWithItsCommas) {
  const Arguments arguments = parse({"--sweep", "--plugin", "a,b.so", "--plugin", "c.so", "--set", "a.b=1"});
  ASSERT_EQ(arguments.options.at("plugin").size(), 2u);
  EXPECT_EQ(arguments.options.at("plugin").at(0).text, "a,b.so");
}

TEST(Arguments, OtherOptionsMayBeGivenOnce) {
  EXPECT_EQ(refusal({"--sweep", "--batch", "1", "--batch", "2"}),
            "--batch: it is given 2 times: give it once");
}

TEST(Arguments, NegativeValuesReachTheCheckThatNamesThem) {
  EXPECT_EQ(parse({"--sweep", "--batch", "-1"}).options.at("batch").at(0).text, "-1");
}

TEST(Arguments, UnknownOptionsGetASuggestion) {
  EXPECT_THAT(refusal({"--sweep", "--bacth", "1"}),
              StartsWith("--bacth: there is no such option; did you mean \"--batch\"?"));
  EXPECT_THAT(refusal({"--sweep", "--wormup=1"}),
              StartsWith("--wormup: there is no such option; did you mean \"--warmup\"?"));
  EXPECT_THAT(refusal({"--frobnicate"}), StartsWith("--frobnicate: there is no such option (see"));
}

TEST(Arguments, MistakesAreOneLineThatSaysWhatWouldDo) {
  for (const auto& words : std::vector<std::vector<const char*>>{{},
                                                                 {"swep"},
                                                                 {"--batch", "1"},
                                                                 {"--sweep", "--batch"},
                                                                 {"list", "nothing"},
                                                                 {"--sweep", "stray"},
                                                                 {"--config", "x.toml"},
                                                                 {"--sweep", "list"},
                                                                 {"list", "--batch", "1"},
                                                                 {"--quiet=foo", "--sweep"}}) {
    const std::string message = refusal(words);
    EXPECT_NE(message, "accepted") << testing::PrintToString(words);
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_THAT(message, testing::AnyOf(HasSubstr("give "), HasSubstr("see graphbench --help"),
                                        HasSubstr("needs --sweep"), HasSubstr("no such option")));
  }
}

TEST(Arguments, ListTakesWhatToList) {
  EXPECT_EQ(parse({"list"}).list, ListWhat::everything);
  EXPECT_EQ(parse({"list", "devices"}).list, ListWhat::devices);
  const Arguments arguments = parse({"list", "workloads", "--plugin", "a.so"});
  EXPECT_EQ(arguments.command, Command::list);
  EXPECT_EQ(arguments.options.at("plugin").at(0).text, "a.so");
  EXPECT_THAT(refusal({"list", "devcies"}), HasSubstr("did you mean \"devices\"?"));
}

TEST(Arguments, HelpNamesEveryOptionAndNoCommandThatIsNotThere) {
  const std::string help = parse({"--help"}).text;
  for (const char* name :
       {"--sweep", "--workload", "--batch", "--worker-timeout", "--split-ops", "list", "compare"}) {
    EXPECT_THAT(help, HasSubstr(name));
  }
  EXPECT_THAT(help, testing::Not(HasSubstr("serve ")));
}

TEST(Arguments, CompareHasItsOwnOptions) {
  const Arguments arguments = parse({"compare", "a.json", "b", "--margin", "3%", "--strict", "-o", "out"});
  EXPECT_EQ(arguments.command, Command::compare);
  EXPECT_EQ(arguments.compare.base, "a.json");
  EXPECT_EQ(arguments.compare.now, "b");
  EXPECT_EQ(arguments.compare.margin, "3%");
  EXPECT_EQ(arguments.compare.output, "out");
  EXPECT_TRUE(arguments.compare.strict);
  EXPECT_THAT(parse({"compare", "--help"}).text, HasSubstr("compare BASE NEW"));
}

TEST(Arguments, VersionIsACommand) {
  EXPECT_EQ(parse({"--version"}).command, Command::version);
}

TEST(Arguments, BenchKeepsGoogleBenchmarksFlagsApart) {
  const Arguments arguments =
      parse({"bench", "--benchmark_filter=b1/", "--batch", "1,2", "--benchmark_list_tests"});
  EXPECT_EQ(arguments.command, Command::bench);
  EXPECT_THAT(arguments.benchmark_flags,
              testing::ElementsAre("--benchmark_filter=b1/", "--benchmark_list_tests"));
  EXPECT_EQ(arguments.options.at("batch").at(0).text, "1,2");
  EXPECT_EQ(arguments.options.size(), 1u);
  EXPECT_EQ(arguments.argv.size(), 6u);
}

TEST(Arguments, GoogleBenchmarksFlagsBelongToBench) {
  EXPECT_THAT(refusal({"--sweep", "--benchmark_filter=x"}), HasSubstr("it belongs to bench"));
  EXPECT_THAT(refusal({"--batch", "1", "bench"}), StartsWith("--batch: it stands before bench"));
}

}  // namespace
}  // namespace graphbench::cli
