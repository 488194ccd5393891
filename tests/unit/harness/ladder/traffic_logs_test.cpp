// Tests logs and metrics as they come apart: other text between, restarts, fields that are not numbers.
#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"
#include "tests/unit/harness/ladder/traffic_fixture.hpp"

namespace graphbench::ladder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

using test::refusal;

std::string statistics_line(const std::string& scheduled, const std::string& context) {
  return "{ \"iter\": 1, \"inflightBatchingStats\": {\"numScheduledRequests\": " + scheduled +
         ", \"numContextRequests\": " + context + "}}\n";
}

TEST(TrafficLogs, StatisticsThatAreNoNumbersAreNamedWithTheirLine) {
  EXPECT_THAT(parse(statistics_line("4", "0") + statistics_line("\"4\"", "\"0\"")).histogram,
              ElementsAre(Pair(4, 2)));
  for (const auto& [text, words] : std::initializer_list<std::pair<std::string, std::string>>{
           {statistics_line("4", "null"),
            "\"null\" is not a number for numContextRequests: give a whole number"},
           {statistics_line("null", "1"), "\"null\" is not a number for numScheduledRequests"},
           {statistics_line("[4]", "0"), "\"[4]\" is not a number for"}})
    EXPECT_THAT(refusal([&row = text] { parse(statistics_line("4", "0") + row); }),
                StartsWith("t:2: " + words));
}

}  // namespace
}  // namespace graphbench::ladder
