// Tests tables of sizes and traces of requests: columns by their names, and units of time.
#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"
#include "tests/unit/harness/ladder/traffic_fixture.hpp"

namespace graphbench::ladder {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using test::refusal;

TEST(TrafficTables, CountsHaveUsualNames) {
  for (const std::string name :
       {"num_steps", "occurrences", "hits", "total", "requests", "weight", "Frequency"})
    EXPECT_THAT(parse("batch_size," + name + "\n3,250\n8,750\n").histogram,
                ElementsAre(Pair(3, 250), Pair(8, 750)))
        << name;
}

TEST(TrafficTables, AColumnThatMayBeCountsIsNotIgnored) {
  for (const std::string table : {"size,share\n3,25%\n8,75%\n", "size,share\n3,0.5\n8,2\n",
                                  "{\"size\": 3, \"share\": 4}\n{\"size\": 8, \"share\": 4}\n"})
    EXPECT_THAT(refusal([&] { parse(table); }),
                AllOf(HasSubstr("t:"), HasSubstr("\"share\""), HasSubstr("count"), HasSubstr("leave it out")))
        << table;
  // Neither a trace in which sizes come again, nor a number of the row.
  EXPECT_THAT(parse("size,queue\n3,1\n3,7\n8,4\n").trace, SizeIs(3));
  EXPECT_THAT(parse("step,size\n7,3\n8,4\n9,8\n").trace, SizeIs(3));
  EXPECT_THAT(parse("time,size,queue\n0,3,9\n1,8,4\n").trace, SizeIs(2));
}

// Seconds between the first two requests.
double gap_of(const Traffic& traffic) {
  return traffic.requests.at(1).arrival - traffic.requests.at(0).arrival;
}

TEST(TrafficTables, UnitsOfTimeAreTakenFromColumnsAndValues) {
  const auto chat = parse(
      "{\"chat_id\": 0, \"timestamp\": 0.5, \"output_length\": 5, \"hash_ids\": [1]}\n"
      "{\"chat_id\": 1, \"timestamp\": 2.0, \"output_length\": 5, \"hash_ids\": [1]}\n");
  EXPECT_EQ(gap_of(chat), 1.5);
  EXPECT_THAT(chat.note, HasSubstr("seconds"));
  for (const auto& [zeros, unit] : std::initializer_list<std::pair<std::string, std::string>>{
           {"", ""}, {"000", "milliseconds"}, {"000000", "microseconds"}, {"000000000", "nanoseconds"}}) {
    const Traffic traffic =
        parse("timestamp,output_tokens\n1790000000" + zeros + ",5\n1790000003" + zeros + ",5\n");
    EXPECT_THAT(gap_of(traffic), DoubleNear(3, 1e-5)) << unit;
    EXPECT_EQ(traffic.note, unit.empty() ? "" : "times are read as " + unit);
  }
  EXPECT_THAT(parse("timestamp,size\n1790000000000,3\n1790000000020,8\n").note, HasSubstr("milliseconds"));
}

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
