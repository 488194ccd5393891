// Tests tables of sizes and traces of requests: columns by their names, and units of time.
#include <gmock/gmock.h>

#include "tests/unit/harness/ladder/traffic_fixture.hpp"

namespace graphbench::ladder {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(TrafficTables, MayHaveTextBesideTheSize) {
  EXPECT_THAT(
      parse("{\"ts\":1,\"msg\":\"step\",\"batch_size\":3}\n{\"ts\":2,\"msg\":\"step\",\"batch_size\":8}\n")
          .trace,
      ElementsAre(3, 8));
  EXPECT_THAT(
      parse("{\"time\":0,\"line\":\"decode\",\"size\":3}\n{\"time\":1,\"line\":\"x\",\"size\":8}\n").trace,
      ElementsAre(3, 8));
  EXPECT_THAT(parse("sep=;\nsize;count\n3;2\n8;1\n").histogram, ElementsAre(Pair(3, 2), Pair(8, 1)));
}

}  // namespace
}  // namespace graphbench::ladder
