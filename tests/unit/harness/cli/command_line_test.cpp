// Tests which command a command line asks for, and the one-line message for each mistake.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/cli/commands.hpp"
#include "harness/model/exit_codes.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/option_table.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Parsed {
  std::string name;
  std::string text;
  options::Invocation invocation;
};

Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "/some/where/graphbench");
  CommandLine line;
  const CommandLine::Request request = line.parse(static_cast<int>(words.size()), words.data());
  return {std::string(request.name), request.text, request.invocation};
}

std::string refusal(const std::vector<const char*>& words) {
  return test::refusal([&] { parse(words); });
}

TEST(CommandLine, EveryRowOfTheTableIsACommandWithHelp) {
  const std::string all = parse({"--help-all"}).text;
  const std::string brief = parse({"--help"}).text;
  for (const CommandRow& row : commands()) {
    const std::string name(row.name);
    EXPECT_THAT(all, HasSubstr("graphbench " + std::string(row.usage) + "\n"));
    EXPECT_THAT(all, HasSubstr(name));
    const std::string own = parse({name.c_str(), "--help"}).text;
    if (row.name != "--sweep") {
      EXPECT_THAT(own, HasSubstr("Usage: graphbench " + std::string(row.usage)));
    }
    ASSERT_FALSE(row.examples.empty()) << name;
    for (const options::Example& example : row.examples)
      EXPECT_THAT(own, HasSubstr("  graphbench " + std::string(example.line) + " ")) << name;
    EXPECT_THAT(brief, HasSubstr(std::string(row.help) + "\n"));
    EXPECT_THAT(refusal({}), HasSubstr(name)) << "where nothing was asked for";
  }
}

TEST(CommandLine, DocumentsKeepItWithoutTheBinarysFolder) {
  const Parsed parsed = parse({"--sweep", "--batch", "1,2"});
  EXPECT_EQ(parsed.name, "--sweep");
  EXPECT_THAT(parsed.invocation.argv, testing::ElementsAre("graphbench", "--sweep", "--batch", "1,2"));
}

TEST(CommandLine, HelpGroupsTheOptionsOfASweepAndTheVersionIsText) {
  const std::string help = parse({"--help-all"}).text;
  std::size_t last = 0;
  for (const char* title : {"What is measured:", "How it is measured:", "Where results go:", "Plugins:",
                            "Machine:", "Subcommands:"}) {
    const std::size_t at = help.find(title);
    ASSERT_NE(at, std::string::npos) << title;
    EXPECT_GT(at, last) << title;
    last = at;
  }
  const std::string version = parse({"--version"}).text;
  EXPECT_THAT(version, StartsWith("graphbench "));
  for (const char* word : {"-V", "version"}) EXPECT_EQ(parse({word}).text, version) << word;
}

TEST(CommandLine, TheShortHelpFitsAScreen) {
  const std::string help = parse({"--help"}).text;
  EXPECT_EQ(help, parse({"help"}).text);
  std::istringstream lines(help);
  int count = 0;
  int options = 0;
  int examples = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), 110u) << line;
    options += line.starts_with("  --") ? 1 : 0;
    examples += line.starts_with("  graphbench ") ? 1 : 0;
  }
  EXPECT_LE(count, 48);
  EXPECT_EQ(options, 10);
  EXPECT_EQ(examples, 4);
  for (const char* title : {"\nMeasure:\n", "\nCompare:\n", "\nOperate:\n"})
    EXPECT_THAT(help, HasSubstr(title));
}

TEST(CommandLine, EveryOptionBelongsToOneTopicOfTheHelp) {
  std::map<std::string, int> seen;
  for (const options::OptionTopic& topic : options::option_topics()) {
    const std::string help = parse({"--help", topic.name.c_str()}).text;
    EXPECT_EQ(help, parse({"help", topic.name.c_str()}).text);
    EXPECT_THAT(help, StartsWith(std::string(topic.title) + ":\n  --"));
    for (const options::OptionSpec& option : options::sweep_options())
      seen[option.name] += help.find("  --" + option.name + " ") != std::string::npos ? 1 : 0;
  }
  for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
  EXPECT_THAT(parse({"--help", "training"}).text,
              AllOf(HasSubstr("--optimizer"), Not(HasSubstr("--batch "))));
  EXPECT_THAT(refusal({"--help", "trainig"}),
              HasSubstr("\"trainig\" is not a command, a topic or a word of the help: give --sweep"));
}

TEST(CommandLine, HelpTakesACommand) {
  EXPECT_EQ(parse({"help", "compare"}).text, parse({"compare", "--help"}).text);
  const std::string sweep = parse({"help", "sweep"}).text;
  EXPECT_EQ(sweep, parse({"--sweep", "--help"}).text);
  EXPECT_EQ(sweep, parse({"sweep", "-h"}).text);
  EXPECT_THAT(sweep, AllOf(HasSubstr("Usage: graphbench --sweep [options]\n\n"), HasSubstr("--batch LIST"),
                           HasSubstr("  graphbench sweep --torch"), Not(HasSubstr("Subcommands:")),
                           Not(HasSubstr("graphbench ladder"))));
  EXPECT_THAT(parse({"help", "history", "list"}).text,
              AllOf(HasSubstr("  graphbench history list "), Not(HasSubstr("history add base.json"))));
}

TEST(CommandLine, HelpSearchesCommandsOptionsAndMetrics) {
  const std::string found = parse({"help", "Launch-Bound"}).text;
  EXPECT_THAT(found, HasSubstr("Metrics:\n  "));
  const std::string padding = parse({"--help", "engine"}).text;
  EXPECT_THAT(padding, AllOf(StartsWith("Options:\n  --"), HasSubstr("[ladder]\n")));
  // Options that several commands take stand once.
  const std::string seed = parse({"help", "random seed"}).text;
  EXPECT_EQ(seed.find("--seed"), seed.rfind("--seed")) << seed;
  EXPECT_THAT(seed, HasSubstr("[sweep, ladder, bill, bench, ab]"));
  EXPECT_THAT(refusal({"help", "xyzzy"}),
              HasSubstr("\"xyzzy\" is not a command, a topic or a word of the help"));
}

TEST(CommandLine, CommandsThatAreMisspelledGetASuggestion) {
  for (const char* wrong : {"swep", "sweeep"})
    EXPECT_THAT(refusal({wrong}), HasSubstr("did you mean \"sweep\"?"));
  EXPECT_THAT(refusal({"versoin"}), HasSubstr("did you mean \"version\"?"));
  EXPECT_THAT(refusal({"hepl"}), HasSubstr("did you mean \"help\"?"));
  EXPECT_THAT(refusal({"help", "compair"}), HasSubstr("did you mean \"compare\"?"));
  EXPECT_THAT(refusal({"--help", "trainig"}), HasSubstr("did you mean \"training\"?"));
  EXPECT_EQ(
      refusal({"history", "lst"}),
      "history: \"lst\" is not an action of history: give add, list, remove, show; did you mean \"list\"?");
  EXPECT_THAT(refusal({"cache", "verfiy"}), HasSubstr("did you mean \"verify\"?"));
  EXPECT_THAT(refusal({"completion", "fiish"}), HasSubstr("did you mean \"fish\"?"));
  EXPECT_THAT(refusal({"completion"}), HasSubstr("give bash, zsh, fish, man"));
}

TEST(CommandLine, SweepIsASynonym) {
  const Parsed parsed = parse({"sweep", "--batch", "1,2"});
  EXPECT_EQ(parsed.name, "--sweep");
  EXPECT_THAT(parsed.invocation.argv, testing::ElementsAre("graphbench", "--sweep", "--batch", "1,2"));
}

TEST(CommandLine, ListsHaveNoSpaces) {
  const std::string said = "--batch: a list may not have spaces: give --batch 1,8";
  EXPECT_EQ(refusal({"--sweep", "--batch", "1", "8"}), said);
  EXPECT_EQ(refusal({"--sweep", "--batch", "1,", "8", "--quiet"}), said);
  EXPECT_EQ(refusal({"ladder", "--mode", "whole", ",piecewise"}),
            "--mode: a list may not have spaces: give --mode whole,piecewise");
  EXPECT_EQ(refusal({"--sweep", "--set", "mlp.hidden=8", "--batch", "1,8"}), "accepted");
  EXPECT_THAT(refusal({"--sweep", "--batch", "1", "--batch", "8"}),
              HasSubstr("given 2 times: give the option once"));
}

TEST(CommandLine, AWordBehindSweepMayBeAWorkload) {
  EXPECT_EQ(
      refusal({"--sweep", "mlp"}),
      "--sweep: \"mlp\" does not belong to an option: did you mean --workload mlp? (see graphbench --help)");
  EXPECT_THAT(refusal({"--sweep", "flor"}), HasSubstr("did you mean \"floor\"?"));
}

TEST(CommandLine, UnknownOptionsGetASuggestionOfTheirCommand) {
  EXPECT_THAT(refusal({"--sweep", "--bacth", "1"}),
              StartsWith("--bacth: this option does not exist; did you mean \"--batch\"?"));
  EXPECT_THAT(refusal({"--sweep", "--wormup=1"}),
              StartsWith("--wormup: this option does not exist; did you mean \"--warmup\"?"));
  EXPECT_EQ(refusal({"--frobnicate"}), "--frobnicate: this option does not exist (see graphbench --help)");
  EXPECT_EQ(
      refusal({"serve", "--bassline", "b"}),
      "--bassline: this option does not exist; did you mean \"--baseline\"? (see graphbench serve --help)");
  EXPECT_THAT(refusal({"compare", "a", "b", "--margni", "1"}), HasSubstr("did you mean \"--margin\"?"));
}

TEST(CommandLine, MistakesAreOneLineThatSaysWhatWouldDo) {
  const std::vector<std::vector<const char*>> mistakes = {{},
                                                          {"swep"},
                                                          {"--batch", "1"},
                                                          {"--sweep", "--batch"},
                                                          {"list", "nothing"},
                                                          {"--sweep", "stray"},
                                                          {"floor", "stray"},
                                                          {"--config", "x.toml"},
                                                          {"--sweep", "list"},
                                                          {"list", "--batch", "1"},
                                                          {"--quiet=foo", "--sweep"}};
  for (const auto& words : mistakes) {
    const std::string message = refusal(words);
    EXPECT_NE(message, "accepted") << testing::PrintToString(words);
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_THAT(message, testing::AnyOf(HasSubstr("give "), HasSubstr("see graphbench --help"),
                                        HasSubstr("needs --sweep"), HasSubstr("this option does not exist")));
  }
}

TEST(CommandLine, ACommandsOptionsStandAfterItsName) {
  EXPECT_EQ(refusal({"--batch", "1", "bench"}),
            "--batch: the option stands before bench: give bench's options after the word bench");
  EXPECT_THAT(refusal({"--batch", "1", "ab", "--base", "b"}), HasSubstr("before ab"));
  EXPECT_EQ(refusal({"--sweep", "history"}),
            "history: the command cannot be combined with --sweep: give one of the two");
  EXPECT_EQ(refusal({"--batch", "1"}), "--batch: the option needs --sweep: give graphbench --sweep ...");
}

TEST(CommandLine, ListTakesWhatToList) {
  EXPECT_EQ(parse({"list"}).name, "list");
  EXPECT_EQ(refusal({"list", "modes", "--format", "json"}), "accepted");
  EXPECT_THAT(refusal({"list", "devcies"}), HasSubstr("did you mean \"devices\"?"));
  EXPECT_THAT(refusal({"list", "--format", "xml"}), HasSubstr("give table or json"));
}

TEST(CommandLine, ListAnswersScriptsFromTheTables) {
  CommandLine line;
  const std::vector<const char*> words = {"graphbench", "list", "modes", "--format", "json"};
  const CommandLine::Request request = line.parse(static_cast<int>(words.size()), words.data());
  testing::internal::CaptureStdout();
  EXPECT_EQ(request.command->run(request.invocation), model::exit_done);
  const auto document = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  ASSERT_EQ(document.at("modes").size(), model::modes().size());
  EXPECT_EQ(document.at("modes").at(0),
            nlohmann::json::parse(R"({"name": "eager", "help": "every op is launched by the host",
                                      "graph": false, "reference": true})"));
}

TEST(CommandLine, ServeChecksItsNumbers) {
  EXPECT_EQ(refusal({"serve", "--grace=0", "--compare-mib", "1024"}), "accepted");
  EXPECT_THAT(refusal({"serve", "--grace", "soon"}), HasSubstr("give seconds, 0 to 3600"));
  for (const char* wrong : {"0", "1025", "x", "1.5"})
    EXPECT_THAT(refusal({"serve", "--compare-mib", wrong}), HasSubstr("1 to 1024")) << wrong;
  for (const char* wrong : {"0", "1000001", "many"})
    EXPECT_THAT(refusal({"serve", "--metrics-cells", wrong}), HasSubstr("1 to 1000000")) << wrong;
}

TEST(CommandLine, CompareTakesNewAloneWhereTheHistoryIsItsBase) {
  EXPECT_EQ(refusal({"compare", "a.json", "b", "--margin", "3%", "--strict", "-o", "out"}), "accepted");
  EXPECT_EQ(refusal({"compare", "--against", "main", "new.json", "--history", "h"}), "accepted");
  EXPECT_THAT(refusal({"compare", "--against", "main", "a", "b"}), HasSubstr("give only NEW"));
  EXPECT_THAT(refusal({"compare", "--against", "main"}), HasSubstr("NEW is missing"));
  EXPECT_THAT(refusal({"compare", "a", "b", "--history", "h"}),
              HasSubstr("give --against NAME instead of BASE"));
  EXPECT_THAT(refusal({"compare", "a", "b", "--against", ""}), HasSubstr("without a value"));
  EXPECT_THAT(refusal({"compare", "a", "b", "c"}),
              HasSubstr("\"c\" is one argument too many: give compare BASE NEW"));
}

TEST(CommandLine, GoogleBenchmarksFlagsBelongToBench) {
  const Parsed parsed =
      parse({"bench", "--benchmark_filter=b1/", "--batch", "1,2", "--benchmark_list_tests"});
  EXPECT_EQ(parsed.name, "bench");
  EXPECT_THAT(parsed.invocation.benchmark_flags,
              testing::ElementsAre("--benchmark_filter=b1/", "--benchmark_list_tests"));
  EXPECT_EQ(parsed.invocation.argv.size(), 6u);
  EXPECT_EQ(refusal({"--sweep", "--benchmark_filter=x"}),
            "--benchmark_filter=x: the option belongs to bench: give graphbench bench ...");
}

TEST(CommandLine, BenchRefusesWhatGoogleBenchmarkDoes) {
  EXPECT_THAT(refusal({"bench", "--json", "x"}), HasSubstr("give --benchmark_out=FILE"));
  EXPECT_THAT(refusal({"bench", "--prometheus-textfile", "x"}), HasSubstr("bench publishes no metrics"));
}

TEST(CommandLine, AbRefusesWhatItMakesItself) {
  EXPECT_EQ(refusal({"ab", "--base", "b", "--env-b", "X=1", "--env-b", "Y=2", "--confirm"}), "accepted");
  for (const char* option : {"--json=x", "--samples=x", "--trace=x", "--profile", "--dump-program"})
    EXPECT_THAT(refusal({"ab", "--base", "b", option}), HasSubstr("ab does not accept this option"))
        << option;
  EXPECT_EQ(refusal({"ab"}), "accepted");
  EXPECT_THAT(refusal({"ab", "--base", "a", "--base", "b"}), HasSubstr("given 2 times"));
}

TEST(CommandLine, TheHistoryHasFourWords) {
  EXPECT_EQ(refusal({"history", "add", "a.json", "b.json", "--commit", "", "--label", "x y"}), "accepted");
  EXPECT_EQ(refusal({"history", "show", "mlp/x", "--metric", "submit", "--last", "7"}), "accepted");
  EXPECT_EQ(refusal({"history", "list", "--format", "json"}), "accepted");
  EXPECT_THAT(parse({"history", "show", "--help"}).text, HasSubstr("history show [CELL]"));
  EXPECT_THAT(refusal({"history"}), HasSubstr("add, list, remove or show"));
  EXPECT_THAT(refusal({"history", "add"}), HasSubstr("needs a result document"));
  EXPECT_EQ(refusal({"history", "remove", "1", "2"}), "accepted");
  EXPECT_EQ(refusal({"history", "add", "a.json", "--allow-date"}), "accepted");
  EXPECT_THAT(refusal({"history", "remove"}), HasSubstr("needs an entry"));
  EXPECT_THAT(refusal({"history", "list", "--format", "xml"}), HasSubstr("--format"));
  EXPECT_THAT(refusal({"history", "show", "c", "--last", "501"}), HasSubstr("1 to 500"));
  EXPECT_THAT(refusal({"history", "show", "c", "--last", "1", "--last", "2"}),
              HasSubstr("give the option once"));
}

}  // namespace
}  // namespace graphbench::cli
