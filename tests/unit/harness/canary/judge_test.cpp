// Tests what a comparison of canaries finds, and what it says.
#include "harness/canary/judge.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "harness/canary/document.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::canary {
namespace {

using testing::HasSubstr;

// Values whose logarithms spread evenly from -width to +width around that of `middle`.
std::vector<double> values(double middle, double width, int count = 50) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(middle * std::exp(width * (2.0 * i / (count - 1) - 1)));
  return all;
}

Canary sample(double graph_launch = 1e-6) {
  Canary canary;
  canary.environment.device.kind = "cuda";
  canary.environment.device.name = "a card";
  canary.processes = 50;
  for (const FloorRow& row : floor_rows()) {
    const double middle = row.name == "graph_launch" ? graph_launch : 2e-6;
    canary.floors.push_back({std::string(row.name), std::string(row.unit), middle, values(middle, 0.04)});
  }
  canary.probes.push_back({"an update keeps clusters", Answer::yes});
  return canary;
}

Canary compared(Canary now, const Canary& base = sample()) {
  compare(base, now);
  return now;
}

TEST(Change, IsTheRatioWithItsBound) {
  const Change change = change_of(values(1, 0.05), values(1.3, 0.05), {0.001, 0.02}).value();
  EXPECT_NEAR(change.ratio, 1.3, 1e-2);
  EXPECT_LT(change.low, change.ratio);
  EXPECT_GT(change.low, 1 + change.margin);
  EXPECT_TRUE(change.slower);
}

TEST(Change, HasTheMarginOfTheWiderSideInItsHypothesis) {
  // A uniform distribution lies half its width from its median, as a normal one 0.674 of its deviation.
  const double spread = std::expm1(0.1 / 0.6745);
  for (const auto& [before, after] : {std::pair(0.2, 0.01), std::pair(0.01, 0.2)}) {
    const Change change = change_of(values(1, before, 51), values(1.1, after, 51), {0.001, 0.02}).value();
    EXPECT_NEAR(change.margin, spread, 0.01);
    EXPECT_FALSE(change.slower);
  }
  EXPECT_EQ(change_of(values(1, 0), values(1.03, 0), {0.001, 0.05})->margin, 0.05);
}

TEST(Change, IsNotHiddenByProcessesThatTakeLonger) {
  std::vector<double> before = values(1, 0.05), after = values(1.25, 0.05);
  for (std::size_t i = 0; i < 26; i += 2) {  // 13 of 50
    before[i] *= 1.6;
    after[i] *= 1.6;
  }
  EXPECT_TRUE(change_of(before, after, {0.001, 0.05})->slower);
  EXPECT_FALSE(change_of(values(1, 0.05), before, {0.001, 0.05})->slower);
}

TEST(Change, OfNumbersThatDoNotSpreadIsFound) {
  EXPECT_FALSE(change_of(values(64, 0), values(64, 0), {0.001, 0.1})->slower);
  EXPECT_FALSE(change_of(values(64, 0), values(70, 0), {0.001, 0.1})->slower);
  EXPECT_TRUE(change_of(values(64, 0), values(71, 0), {0.001, 0.1})->slower);
}

TEST(Change, IsTheMedianOfAllDifferences) {
  std::mt19937_64 random(1);
  for (const auto& [more, fewer] : {std::pair(8, 9), std::pair(20, 8), std::pair(31, 33)}) {
    std::vector<double> before, after, all;
    for (int i = 0; i < more; ++i) before.push_back(1 + static_cast<double>(random() % 8) / 64);
    for (int i = 0; i < fewer; ++i) after.push_back(1 + static_cast<double>(random() % 9) / 64);
    for (const double one : before)
      for (const double other : after) all.push_back(std::log(other) - std::log(one));
    std::ranges::sort(all);
    EXPECT_DOUBLE_EQ(change_of(before, after, {0.001, 0.02})->ratio, std::exp(all[all.size() / 2]));
  }
}

TEST(Change, OfTheMostProcessesNeedsNoPairInMemory) {
  const auto most = static_cast<int>(processes_max);
  const Change change = change_of(values(1, 0.05, most), values(1.3, 0.05, most), {0.001, 0.02, 2}).value();
  EXPECT_NEAR(change.ratio, 1.3, 1e-9);
  EXPECT_GT(change.low, 1.29);
}

TEST(Change, NeedsSeveralProcesses) {
  EXPECT_FALSE(change_of(values(1, 0.1, 7), values(1, 0.1), {0.001, 0.02}).has_value());
  // The bound of so few values is below the smallest difference, if the level is that small.
  EXPECT_FALSE(change_of(values(1, 0.01, 8), values(1.01, 0.01, 8), {1e-9, 0.02})->slower);
}

TEST(Compare, SaysTheSmallestChangeThatItWouldHaveSeen) {
  const Canary now = compared(sample());
  EXPECT_EQ(now.verdict, Verdict::same);
  EXPECT_THAT(now.sentence, testing::MatchesRegex("same \\(would have seen [0-9]+ %\\)"));
  EXPECT_EQ(exit_code_of(now.verdict), 0);
}

TEST(Compare, NamesWhatIsSlower) {
  const Canary now = compared(sample(1.9e-6));
  EXPECT_EQ(now.verdict, Verdict::slower);
  EXPECT_EQ(now.sentence, "slower: graph launch 1.90x");
  EXPECT_EQ(exit_code_of(now.verdict), 10);
}

TEST(Compare, ALostAnswerIsBrokenAndAnOldNoIsNot) {
  Canary now = sample();
  now.probes[0].answer = Answer::no;
  now.probes[0].reason = "1 block";
  EXPECT_EQ(compared(now).sentence, "broken: an update keeps clusters (1 block)");
  EXPECT_EQ(exit_code_of(compared(now).verdict), 10);
  EXPECT_EQ(compared(now, now).verdict, Verdict::same);
  EXPECT_EQ(compared(sample(), now).verdict, Verdict::same);
}

TEST(Compare, IsBlindWhereASideHasTooFewValuesOrSpreads) {
  Canary now = sample();
  now.floors[1].values = values(1e-6, 1);
  EXPECT_THAT(compared(now).sentence, HasSubstr("blind: graph launch: would have seen "));
  EXPECT_EQ(exit_code_of(compared(now).verdict), 11);
  now.floors.erase(now.floors.begin() + 1);
  EXPECT_EQ(compared(now).sentence, "blind: graph launch: too few values");
  EXPECT_THAT(compared(sample(), now).sentence,
              testing::MatchesRegex("same .would have seen [0-9]+ %.; not compared: graph launch"));
  now.floors.clear();
  EXPECT_THAT(compared(sample(), now).sentence, HasSubstr("blind: no floor has values on both sides; not "));
}

TEST(Compare, SaysWhatIsNotComparedOfTheAnswers) {
  Canary without = sample();
  without.probes.clear();
  EXPECT_THAT(
      compared(without).sentence,
      testing::MatchesRegex("same .would have seen [0-9]+ %.; not compared: an update keeps clusters"));
  Canary now = sample();
  now.probes[0].answer = Answer::no;
  EXPECT_EQ(compared(now, without).sentence, "blind: an update keeps clusters: no, and BASE did not ask");
}

TEST(Compare, ACrashIsBrokenWhateverBaseAsked) {
  Canary now = sample();
  now.probes.push_back({std::string(every_process), Answer::no, "it crashed with SIGSEGV"});
  EXPECT_EQ(compared(now).sentence, "broken: every process measures the floors (it crashed with SIGSEGV)");
  describe_alone(now);
  EXPECT_EQ(now.sentence, "broken: every process measures the floors (it crashed with SIGSEGV, after 50)");
  EXPECT_EQ(exit_code_of(now.verdict), 10);
}

TEST(Compare, DoesNotTakeATickOfTheClockForAChange) {
  Canary before = sample(), now = sample();
  before.floors[1] = {"graph_launch", "seconds", 80e-9, values(80e-9, 0)};
  now.floors[1] = {"graph_launch", "seconds", 90e-9, values(90e-9, 0)};
  EXPECT_EQ(compared(now, before).verdict, Verdict::same);
  now.floors[1].values = values(120e-9, 0);
  EXPECT_EQ(compared(now, before).verdict, Verdict::slower);
}

TEST(Alone, SaysWhetherItCanBeCompared) {
  Canary canary = sample();
  describe_alone(canary);
  EXPECT_EQ(canary.sentence, "measured: 50 processes; compare later ones with --against");
  canary.processes = 3;
  describe_alone(canary);
  EXPECT_EQ(canary.sentence, "measured: 3 processes; a comparison needs 8");
}

TEST(Compare, AHangIsAllThatCounts) {
  Canary now = sample(1.9e-6);
  now.hang = Hang{"cudaGraphLaunch", 31};
  EXPECT_EQ(compared(now).sentence, "hung: cudaGraphLaunch, 31 s");
  EXPECT_EQ(exit_code_of(compared(now).verdict), 13);
}

TEST(Document, IsReadAsItWasWritten) {
  const Canary written = compared(sample(1.9e-6));
  const Canary read = read_canary(to_json(written), "file");
  EXPECT_EQ(to_json(read), to_json(written));
}

TEST(Document, ThatIsWrongIsRefusedInALine) {
  const auto refusal = [](const std::string& text) {
    return test::refusal([&] { read_canary(text, "file"); });
  };
  EXPECT_THAT(refusal("{"), HasSubstr("file: "));
  EXPECT_THAT(refusal("{}"), HasSubstr("no \"schema\""));
  EXPECT_THAT(refusal(R"({"schema": "graphbench.floors/1"})"), HasSubstr("canary --json"));
  EXPECT_THAT(refusal(R"({"schema": "graphbench.canary/1", "verdict": "odd"})"), HasSubstr("\"odd\""));
  Canary canary = sample();
  canary.floors[1].values = values(1, 0, static_cast<int>(processes_max) + 1);
  EXPECT_THAT(refusal(to_json(canary)), HasSubstr("\"graph_launch\" has 10001 values: a canary has at most"));
  canary = sample();
  canary.floors[2].values[3] = 0;
  EXPECT_THAT(refusal(to_json(canary)), HasSubstr("\"busy_graph_launch\" has the value 0"));
  canary.floors[2].values[3] = 5e-324;
  EXPECT_THAT(refusal(to_json(canary)), HasSubstr("which is not from 1e-15 to 1e15"));
  canary = sample();
  canary.floors[0].unit = "bytes";
  EXPECT_THAT(refusal(to_json(canary)), HasSubstr("has the unit \"bytes\": it is in seconds"));
  canary = sample();
  canary.processes = -3;
  EXPECT_THAT(refusal(to_json(canary)), HasSubstr("processes: -3"));
  canary = sample();
  canary.probes.push_back(canary.probes[0]);
  EXPECT_THAT(refusal(to_json(canary)), HasSubstr("\"an update keeps clusters\" appears twice"));
  canary = sample();
  canary.floors.push_back(canary.floors[0]);
  EXPECT_THAT(refusal(to_json(canary)), HasSubstr("\"kernel_launch\" appears twice"));
}

}  // namespace
}  // namespace graphbench::canary
