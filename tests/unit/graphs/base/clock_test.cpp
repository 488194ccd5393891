// The form of a time; which one it is cannot be asserted.
#include "graphs/base/clock.hpp"

#include <gmock/gmock.h>

namespace graphbench {
namespace {

TEST(UtcNow, IsRfc3339InUtc) {
  EXPECT_THAT(utc_now(), testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
}

}  // namespace
}  // namespace graphbench
