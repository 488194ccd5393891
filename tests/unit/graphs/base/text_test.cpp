// Tests lists, spelling suggestions, quoted text, digests and times.
#include "graphs/base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/base/clock.hpp"
#include "graphs/base/digest.hpp"

namespace graphbench {
namespace {

const std::vector<std::string> known = {"batch", "warmup", "workload", "mode"};

TEST(Lists, JoinWithASeparatorBetweenAllElementsAlsoEmptyOnes) {
  EXPECT_EQ(join(std::vector<std::string>()), "");
  EXPECT_EQ(join(known), "batch, warmup, workload, mode");
  EXPECT_EQ(join(std::vector<std::string>{"", "a", ""}, ","), ",a,");
  EXPECT_EQ(join(std::vector<int>{1, 2}, "+", [](int each) { return std::to_string(each); }), "1+2");
}

TEST(Lists, ContainWhatIsAnElement) {
  EXPECT_TRUE(contains(known, "mode"));
  EXPECT_FALSE(contains(known, "mod"));
}

TEST(Complain, WritesALine) {
  testing::internal::CaptureStderr();
  complain("%s has %d lines", "this", 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "graphbench: this has 1 lines\n");
}

TEST(Suggest, FindsASwapADropAndAReplacement) {
  EXPECT_EQ(nearest("bacth", known), "batch");
  EXPECT_EQ(nearest("worklod", known), "workload");
  EXPECT_EQ(nearest("mude", known), "mode");
}

TEST(Suggest, AsksInWordsAndIsSilentAboutWordsThatAreFarAwayOrVeryLong) {
  EXPECT_EQ(did_you_mean("bacth", known), "; did you mean \"batch\"?");
  EXPECT_EQ(did_you_mean("zzz", known), "");
  EXPECT_EQ(nearest("frobnicate", known), std::nullopt);
  EXPECT_EQ(nearest(std::string(100000, 'b'), known), std::nullopt);
}

TEST(InQuotes, KeepsTextOfAnyLanguageAndBytesOfNone) {
  EXPECT_EQ(in_quotes("gr\u00f6\u00dfe \u5927 \\"), "\"gr\u00f6\u00dfe \u5927 \\\"");
  EXPECT_EQ(in_quotes("\xff\xe2\x80"), "\"\xff\xe2\x80\"");
}

TEST(InQuotes, EscapesControlsAndWhatTurnsTheDirectionOrIsNotSeen) {
  EXPECT_EQ(in_quotes("a\nb\x1b[31m\x7f\u0085\u2028"), R"("a\x0ab\x1b[31m\x7f\u0085\u2028")");
  EXPECT_EQ(in_quotes("a\u202eb\u2066c\u200bd\ufeffe\u00adf"), R"("a\u202eb\u2066c\u200bd\ufeffe\u00adf")");
  EXPECT_EQ(in_quotes("\U000e0041\ufe0f"), R"("\U000e0041\ufe0f")");
}

TEST(InQuotes, CutsALongValueAndSaysHowLongItIs) {
  EXPECT_EQ(in_quotes(std::string(400, 'a')), '"' + std::string(400, 'a') + '"');
  EXPECT_EQ(in_quotes(std::string(100'000, 'a')), '"' + std::string(300, 'a') + "...\" (100000 bytes)");
  EXPECT_EQ(shortened(std::string(100'000, 'a')), std::string(300, 'a') + "... (100000 bytes)");
  EXPECT_STREQ(InputError(std::string(401, 'a'), "is wrong").what(),
               (std::string(300, 'a') + "... (401 bytes): is wrong").c_str());
}

TEST(HeadOf, CutsBetweenCharacters) {
  EXPECT_EQ(head_of("\u00f6\u00f6\u00f6", 6), "\u00f6\u00f6\u00f6");
  EXPECT_EQ(head_of("\u00f6\u00f6\u00f6", 5), "\u00f6\u00f6");
  EXPECT_EQ(head_of("\u00f6", 1), "");
}

TEST(Digest, MatchesThePublishedVectors) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Stopwatch, CountsFromTheMomentThatItIsGiven) {
  const Stopwatch watch(SteadyClock::now() - std::chrono::hours(1));
  EXPECT_GE(watch.seconds(), 3600);
  EXPECT_GE(Stopwatch().seconds(), 0);
}

TEST(UtcNow, IsRfc3339InUtc) {
  EXPECT_THAT(utc_now(), testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
}

}  // namespace
}  // namespace graphbench
