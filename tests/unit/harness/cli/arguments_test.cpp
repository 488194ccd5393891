// The command line: what it becomes, and the one line a mistake gets.
#include "harness/cli/arguments.hpp"

#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"

namespace graphbench::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Arguments parse(std::vector<const char*> words) {
  words.insert(words.begin(), "graphbench");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

std::string refusal(const std::vector<const char*>& words) {
  return test::refusal([&] { parse(words); });
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
  for (const char* name : {"--sweep", "--workload", "--batch", "--worker-timeout", "--split-ops", "list",
                           "compare", "serve", "--prometheus-listen"}) {
    EXPECT_THAT(help, HasSubstr(name));
  }
}

TEST(Arguments, ServeTakesItsOwnOptions) {
  const Arguments arguments = parse({"serve", "--listen", "[::1]:1", "--state", "d", "--token-file", "t",
                                     "--baseline", "b", "--against", "main", "--history", "h", "--grace=0"});
  EXPECT_EQ(arguments.command, Command::serve);
  EXPECT_EQ(arguments.serve.listen, "[::1]:1");
  EXPECT_EQ(arguments.serve.state, "d");
  EXPECT_EQ(arguments.serve.token_file, "t");
  EXPECT_EQ(arguments.serve.baseline, "b");
  EXPECT_EQ(arguments.serve.against, "main");
  EXPECT_EQ(arguments.serve.history, "h");
  EXPECT_THAT(refusal({"serve", "--bassline", "b"}), HasSubstr("did you mean \"--baseline\"?"));
  EXPECT_EQ(arguments.serve.grace_seconds, 0);
  EXPECT_EQ(parse({"serve"}).serve.listen, "127.0.0.1:9464");
}

TEST(Arguments, CompareHasItsOwnOptions) {
  const Arguments arguments = parse({"compare", "a.json", "b", "--margin", "3%", "--strict", "-o", "out"});
  EXPECT_EQ(arguments.command, Command::compare);
  EXPECT_EQ(arguments.compare.base, "a.json");
  EXPECT_EQ(arguments.compare.now, "b");
  EXPECT_EQ(arguments.compare.verdict.margin, "3%");
  EXPECT_EQ(arguments.compare.verdict.output, "out");
  EXPECT_TRUE(arguments.compare.verdict.strict);
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

TEST(Arguments, CompareTakesNewAloneWhereTheHistoryIsItsBase) {
  const Arguments arguments = parse({"compare", "--against", "main", "new.json", "--history", "h"});
  EXPECT_EQ(arguments.compare.against, "main");
  EXPECT_EQ(arguments.compare.now, "new.json");
  EXPECT_EQ(arguments.compare.base, "");
  EXPECT_THAT(refusal({"compare", "--against", "main", "a", "b"}), HasSubstr("give NEW alone"));
  EXPECT_THAT(refusal({"compare", "--against", "main"}), HasSubstr("NEW is missing"));
  EXPECT_THAT(refusal({"compare", "a", "b", "--history", "h"}), HasSubstr("needs --against"));
  EXPECT_THAT(refusal({"compare", "a", "b", "--against", ""}), HasSubstr("without a value"));
}

TEST(Arguments, AnAbRunTakesASweepsOptionsAndFiveLaunches) {
  const Arguments arguments = parse({"ab", "--base", "old", "--batch", "1,2", "--env-b", "X=1", "--env-b",
                                     "Y=2", "--confirm", "--margin", "5%"});
  EXPECT_EQ(arguments.command, Command::ab);
  EXPECT_EQ(arguments.ab.base, "old");
  EXPECT_EQ(arguments.ab.sweep.at("batch").at(0).text, "1,2");
  EXPECT_EQ(arguments.ab.sweep.at("launches").at(0).text, "5");
  EXPECT_EQ(arguments.ab.new_environment.size(), 2u);
  EXPECT_TRUE(arguments.ab.confirm);
  EXPECT_EQ(arguments.ab.verdict.margin, "5%");
  EXPECT_EQ(parse({"ab", "--base", "b", "--launches", "9"}).ab.sweep.at("launches").at(0).text, "9");
}

TEST(Arguments, AbAndSelfcheckRefuseWhatTheyMakeThemselves) {
  for (const char* option : {"--json", "--samples", "--trace", "--profile", "--dump-program"})
    EXPECT_THAT(refusal({"ab", "--base", "b", option}), HasSubstr("ab does not take it")) << option;
  EXPECT_THAT(refusal({"selfcheck", "--samples=x.npz"}), HasSubstr("selfcheck does not take it"));
  EXPECT_THAT(refusal({"ab"}), HasSubstr("both sides are the same"));
  EXPECT_THAT(refusal({"ab", "--base", "a", "--base", "b"}), HasSubstr("given 2 times"));
  EXPECT_THAT(refusal({"--batch", "1", "ab", "--base", "b"}), HasSubstr("before ab"));
  EXPECT_THAT(refusal({"--sweep", "selfcheck"}), HasSubstr("cannot be combined"));
  EXPECT_THAT(refusal({"selfcheck", "--rounds", "many"}), HasSubstr("--rounds"));
}

TEST(Arguments, TheHistoryHasThreeWords) {
  const Arguments added = parse({"history", "add", "a.json", "b.json", "--commit", "", "--label", "x y"});
  EXPECT_EQ(added.command, Command::history);
  EXPECT_EQ(added.history.action, HistoryAction::add);
  EXPECT_EQ(added.history.documents.size(), 2u);
  EXPECT_EQ(added.history.commit, "");
  EXPECT_FALSE(added.history.branch.has_value());
  EXPECT_EQ(added.history.label, "x y");
  const Arguments shown = parse({"history", "show", "mlp/x", "--metric", "submit", "--last", "7"});
  EXPECT_EQ(shown.history.action, HistoryAction::show);
  EXPECT_EQ(shown.history.metric, model::Metric::submit);
  EXPECT_EQ(shown.history.last, 7);
  EXPECT_EQ(parse({"history", "list", "--format", "json"}).history.json, true);
  EXPECT_THAT(refusal({"history"}), HasSubstr("add, list or show"));
  EXPECT_THAT(refusal({"history", "add"}), HasSubstr("needs a result document"));
  EXPECT_THAT(refusal({"history", "show"}), HasSubstr("needs a cell"));
  EXPECT_THAT(refusal({"history", "list", "--format", "xml"}), HasSubstr("--format"));
  EXPECT_THAT(refusal({"history", "show", "c", "--last", "501"}), HasSubstr("1 to 500"));
}

}  // namespace
}  // namespace graphbench::cli
