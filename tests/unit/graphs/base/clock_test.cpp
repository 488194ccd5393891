// Lower bounds, and the form of a time; which one it is cannot be asserted.
#include "graphs/base/clock.hpp"

#include <gmock/gmock.h>

namespace graphbench {
namespace {

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
