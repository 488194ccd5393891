// The generator against its authors' vectors, and what dropout makes of it.
#include "graphs/ir/philox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace graphbench::ir {
namespace {

using ::testing::ElementsAre;

// Known answers that come with the authors' Random123 library.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_THAT(philox({{0, 0, 0, 0}}, 0).word, ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffffffffffff).word,
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822).word,
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

// Of ones, what is kept is scaled so that the mean stays 1; the variance is p / (1 - p).
TEST(Dropout, KeepsTheMeanAndHasTheVarianceOfItsProbability) {
  constexpr std::int64_t elements = 1 << 20;
  for (const double p : {0.1, 0.5}) {
    const DropoutRule rule(p, 3);
    double sum = 0, squares = 0;
    for (std::int64_t four = 0; four < elements / 4; ++four) {
      for (const std::uint32_t word : rule.words(four, 7).word) {
        const double y = rule.apply(1.0f, word);
        sum += y;
        squares += y * y;
      }
    }
    const double mean = sum / elements;
    const double variance = p / (1 - p);
    EXPECT_NEAR(mean, 1, 5 * std::sqrt(variance / elements));
    EXPECT_NEAR(squares / elements - mean * mean, variance, 0.01 * variance);
  }
}

// How often the masks of two (step, stream) agree: independent ones of probability 1/2 half the time.
TEST(Dropout, StepsAndStreamsHaveMasksOfTheirOwn) {
  constexpr int fours = 1 << 14;
  const auto agree = [](const DropoutRule& a, int step_a, const DropoutRule& b, int step_b) {
    int same = 0;
    for (int four = 0; four < fours; ++four) {
      const FourWords one = a.words(four, step_a), other = b.words(four, step_b);
      for (int i = 0; i < 4; ++i)
        same += (one.word[i] < a.threshold) == (other.word[i] < b.threshold) ? 1 : 0;
    }
    return static_cast<double>(same) / (4 * fours);
  };
  const DropoutRule first(0.5, 0), second(0.5, 1);
  EXPECT_EQ(agree(first, 1, first, 1), 1);
  EXPECT_NEAR(agree(first, 1, first, 2), 0.5, 0.02);
  EXPECT_NEAR(agree(first, 1, second, 1), 0.5, 0.02);
}

}  // namespace
}  // namespace graphbench::ir
