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

std::string scrape(const std::vector<std::pair<std::string, int>>& buckets,
                   const std::string& labels = "engine=\"0\"") {
  std::string text;
  for (const auto& [edge, steps] : buckets)
    text += "vllm:iteration_tokens_total_bucket{" + labels + ",le=\"" + edge + "\",model_name=\"m\"} " +
            std::to_string(steps) + "\n";
  return text;
}

TEST(TrafficLogs, StepsBeyondTheLargestBucketAreLeftOut) {
  const Traffic traffic = parse(scrape({{"1.0", 10}, {"256.0", 20}, {"+Inf", 100}}));
  EXPECT_THAT(traffic.histogram, ElementsAre(Pair(1, 10), Pair(256, 10)));
  EXPECT_THAT(traffic.note,
              HasSubstr("80 of 100 steps were larger than the largest bucket, 256, and are left out"));
  for (const std::string& none : {scrape({{"+Inf", 5}}), scrape({{"1.0", 0}, {"+Inf", 5}})})
    EXPECT_THAT(refusal([&] { parse(none); }), AllOf(HasSubstr("5 of 5 steps were larger than all buckets"),
                                                     HasSubstr("--cudagraph-metrics")));
}

TEST(TrafficLogs, AServerThatStartedAgainCountsFromZero) {
  const Traffic traffic =
      parse(scrape({{"1.0", 3}, {"8.0", 3}, {"+Inf", 100}}) + scrape({{"1.0", 5}, {"8.0", 5}, {"+Inf", 10}}) +
            scrape({{"1.0", 5}, {"8.0", 6}, {"+Inf", 11}}));
  EXPECT_THAT(traffic.histogram, ElementsAre(Pair(1, 8), Pair(8, 1)));
  EXPECT_THAT(traffic.note, HasSubstr("102 of 111 steps"));
}

TEST(TrafficLogs, MetricsOfServersWithEqualLabelsAreAddedUp) {
  const std::string first = scrape({{"1.0", 90}, {"8.0", 100}, {"+Inf", 100}});
  const std::string second = scrape({{"1.0", 100}, {"8.0", 200}, {"+Inf", 200}});
  const Traffic traffic = parse_traffic_files({{"a", first}, {"b", second}});
  EXPECT_THAT(traffic.histogram, ElementsAre(Pair(1, 190), Pair(8, 110)));
  EXPECT_THAT(traffic.note, HasSubstr("files are added up"));
  EXPECT_THAT(parse(first + second).histogram, ElementsAre(Pair(1, 100), Pair(8, 100)));
}

TEST(TrafficLogs, LabelsOfMetricsAreFoundByTheirWholeName) {
  EXPECT_THAT(parse(scrape({{"1.0", 3}, {"8.0", 5}}, "role=\"decode\"")).histogram,
              ElementsAre(Pair(1, 3), Pair(8, 2)));
  EXPECT_THAT(parse(scrape({{"1.0", 3}}) + scrape({{"1.0", 2}}, "model_name=\"org/b\"")).note,
              HasSubstr("steps of 2 models are added up: m, org/b"));
}

TEST(TrafficLogs, IterationsWithPrefillAreSaid) {
  const std::string rest = " generation requests, 20 generation tokens, iteration elapsed time: 9 ms\n";
  EXPECT_EQ(parse("Iteration(4): 1 context requests, 8192 context tokens, 0" + rest +
                  "Iteration(5): 0 context requests, 0 context tokens, 20" + rest)
                .note,
            "1 iterations with prefill are batches too");
}

const std::string table_head =
    "INFO | Unpadded Tokens | Padded Tokens | Num Paddings | Runtime Mode | Count |\nINFO "
    "|---|---|---|---|---|\n";

TEST(TrafficLogs, RowsOfATableThatBeganBeforeTheFileCount) {
  const std::string begin =
      table_head + "INFO | 3 | 4 | 1 | FULL | 20 |\nINFO | 8 | 8 | 0 | PIECEWISE | 10 |\n";
  const std::string end = "INFO | 6 | 8 | 2 | FULL | 9 |\n" + table_head + "INFO | 2 | 2 | 0 | FULL | 1 |\n";
  const auto counts = ElementsAre(Pair(2, 1), Pair(3, 20), Pair(6, 9), Pair(8, 10));
  EXPECT_THAT(parse_traffic_files({{"a", begin}, {"b", end}}).histogram, counts);
  EXPECT_THAT(parse_traffic_files({{"b", end}, {"a", begin}}).histogram, counts);
}

TEST(TrafficLogs, OtherTextBesideARowOfATableIsNotPartOfIt) {
  const auto note_of = [](const std::string& text) {
    const Traffic traffic = parse(table_head + text + "INFO | 8 | 8 | 0 | FULL | 10 |\n");
    EXPECT_THAT(traffic.histogram, ElementsAre(Pair(3, 20), Pair(8, 10))) << text;
    return traffic.note;
  };
  const std::string row = "INFO | 3 | 4 | 1 | FULL | 20 |";
  EXPECT_EQ(note_of(row + "(EngineCore pid=9) INFO x\n"), "");
  EXPECT_EQ(note_of("INFO | 3 | 4 | 1 | FULL | 15 |\r" + table_head.substr(0, table_head.find('\n')) +
                    "\rINFO | 3 | 4 | 1 | FULL | 5 |\r\n"),
            "");
  EXPECT_EQ(note_of(row + "\n| N/A   34C    P0    69W / 700W |   1MiB / 81559MiB |      0%      Default |\n"),
            "");
  EXPECT_EQ(note_of("T stderr P INFO | 3 | 4 \nT stdout F x\nT stderr F | 1 | FULL | 20 |\n"), "");
  EXPECT_EQ(note_of(row + "\nINFO | 5 | 8 |\n"), "1 pieces of rows are left out");
}

TEST(TrafficLogs, ALineThatIsQuotedDoesNotDecideTheFormat) {
  const std::string prompt =
      "INFO Received request: \"explain: Decode batch, #running-req: 77, #token: 1\"\n";
  const Traffic traffic = parse(prompt + table_head + "INFO | 3 | 4 | 1 | FULL | 20 |\n");
  EXPECT_THAT(traffic.histogram, ElementsAre(Pair(3, 20)));
  EXPECT_EQ(traffic.note, "1 lines like SGLang's decode lines are not read");
  EXPECT_THAT(parse("size,prompt\n3,x\n3,x\n8,\"Decode batch, #running-req: 77\"\n").trace, SizeIs(3));
}

}  // namespace
}  // namespace graphbench::ladder
