// Tests sizes and traffic from text: what is accepted, what is refused and where, and that steps repeat.
#include "harness/ladder/traffic.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::ladder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

using test::refusal;

Traffic parse_traffic_file(const std::string& path, const std::string& content) {
  return parse_traffic_files({{path, content}});
}

std::map<std::int64_t, std::int64_t> counts_of(const std::vector<std::int64_t>& rows) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t each : rows) ++counts[each];
  return counts;
}

Trace steps_of(const std::string& text, std::int64_t steps, std::uint64_t seed = 1) {
  return make_trace(read_traffic("--traffic", text), {.steps = steps, .rate = {}, .seed = seed});
}

TEST(CaptureSizes, AreAListWithRangesRoundedUpToAMultiple) {
  EXPECT_THAT(parse_sizes("--capture-sizes", "1,2,4,8:512:+8").size(), 67u);
  EXPECT_THAT(parse_sizes("--capture-sizes", "4,1,9"), ElementsAre(1, 4, 9));
  EXPECT_THAT(parse_sizes("--capture-sizes", "1,2,4,8,9", 8), ElementsAre(8, 16));
}

TEST(CaptureSizes, RefuseWhatIsNoSize) {
  const auto why = [](const std::string& text) {
    return refusal([&] { parse_sizes("--capture-sizes", text); });
  };
  for (const std::string text : {"0", "-4", "1.5", "x", "", "1,,2"})
    EXPECT_THAT(why(text), AllOf(StartsWith("--capture-sizes: "), HasSubstr("give"))) << text;
  EXPECT_THAT(why("4,2,4"), HasSubstr("4 is given twice"));
  EXPECT_THAT(why("16777217"), HasSubstr("too large"));
  EXPECT_THAT(why("99999999999999999999"), HasSubstr("too large"));
}

TEST(TrafficNames, UniformHasEachSizeOfItsRangeAndZipfFallsWithThePowerOfTheSize) {
  EXPECT_THAT(counts_of(steps_of("uniform:3:6", 400).rows),
              ElementsAre(Pair(3, 100), Pair(4, 100), Pair(5, 100), Pair(6, 100)));
  EXPECT_THAT(counts_of(steps_of("zipf:1:4", 2500).rows),
              ElementsAre(Pair(1, 1200), Pair(2, 600), Pair(3, 400), Pair(4, 300)));
}

TEST(TrafficNames, AreRefusedWithTheFormThatWouldDo) {
  const auto why = [](const std::string& text) { return refusal([&] { read_traffic("--traffic", text); }); };
  EXPECT_THAT(why("uniform:1"), HasSubstr("is not uniform:A:B"));
  EXPECT_THAT(why("uniform:0:4"), HasSubstr("whole numbers from 1"));
  EXPECT_THAT(why("uniform:5:4"), HasSubstr("has an end below its start"));
  EXPECT_THAT(why("uniform:1:9999999"), HasSubstr("more than 65536 sizes"));
  EXPECT_THAT(why("zipf:-1:4"), HasSubstr("an exponent from 0 to 16"));
  EXPECT_THAT(why("zipf:1:1.5"), HasSubstr("\"1.5\""));
  EXPECT_THAT(why("no-such-file.csv"),
              AllOf(HasSubstr("\"no-such-file.csv\" cannot be read"), HasSubstr("zipf:S:MAX")));
}

TEST(TrafficFile, FormsAreNamedByTheirHeaders) {
  EXPECT_THAT(parse_traffic_file("t", "size,count\n4,10\n\n 1 , 2\r\n").histogram,
              ElementsAre(Pair(1, 2), Pair(4, 10)));
  const Traffic trace = parse_traffic_file("t", "time,size\n0.5,3\n0.5,1\n2,7\n");
  EXPECT_THAT(trace.trace, ElementsAre(3, 1, 7));
  EXPECT_THAT(trace.arrivals, ElementsAre(0.5, 0.5, 2));
  EXPECT_THAT(
      parse_traffic_file("t",
                         "| Unpadded Tokens | Padded Tokens | Num Paddings | Runtime Mode | Count |\n"
                         "|-----------------|---------------|--------------|--------------|-------|\n"
                         "| 5               | 8             | 3            | FULL         | 25    |\n"
                         "| 5               | 5             | 0            | NONE         | 1     |\n"
                         "| 600             | 600           | 0            | NONE         | 2     |\n")
          .histogram,
      ElementsAre(Pair(5, 26), Pair(600, 2)));
}

// A server's log: lines of a table have the log's prefix; others come before, between and after the tables.
const char* const server_log =
    "INFO 09-21 09:59:58 [api_server.py:1] vLLM API server version 0.21.0\n"
    "| GPU | Memory |\n"
    "(APIServer pid=1) INFO 09-21 10:00:00 [cuda_graph.py:108] **CUDAGraph Stats:**\n"
    "(APIServer pid=1) INFO 09-21 10:00:00 [cuda_graph.py:108] \n"
    "(APIServer pid=1) INFO 09-21 10:00:00 [cuda_graph.py:108] | Unpadded Tokens | Padded Tokens | Num "
    "Paddings "
    "| Runtime Mode | Count |\n"
    "(APIServer pid=1) INFO 09-21 10:00:00 [cuda_graph.py:108] |-----|-----|-----|-----|-----|\n"
    "(APIServer pid=1) INFO 09-21 10:00:00 [cuda_graph.py:108] | 5 | 8 | 3 | FULL | 25 |\n"
    "(Worker pid=2) INFO 09-21 10:00:00 [loggers.py:1] Running: 5 reqs\n"
    "(APIServer pid=1) INFO 09-21 10:00:00 [cuda_graph.py:108] | 600 | 600 | 0 | PIECEWISE | 3 |\r\n"
    "INFO:     127.0.0.1:4242 - \"POST /v1/completions HTTP/1.1\" 200 OK\n"
    "vllm-1  | (APIServer pid=1) INFO | Unpadded Tokens | Padded Tokens | Num Paddings | Runtime Mode | "
    "Count |\n"
    "vllm-1  | (APIServer pid=1) INFO |---|---|---|---|---|\n"
    "vllm-1  | (APIServer pid=1) INFO | 5 | 8 | 3 | FULL | 5 |\n"
    "vllm-1  | (APIServer pid=1) INFO | 5 | 5 | 0 | NONE | 1 |\n"
    "vllm-1  | Traceback (most recent call last):\n";

TEST(TrafficFile, TablesOfAServersLogAreAddedUp) {
  const Traffic traffic = parse_traffic_file("server.log", server_log);
  EXPECT_THAT(traffic.histogram, ElementsAre(Pair(5, 31), Pair(600, 3)));
  EXPECT_THAT(traffic.modes, ElementsAre(Pair("FULL", ElementsAre(Pair(5, 30))), Pair("NONE", SizeIs(1)),
                                         Pair("PIECEWISE", ElementsAre(Pair(600, 3)))));
  EXPECT_TRUE(traffic.counted);
}

TEST(TrafficFile, RuntimeModesAreChosen) {
  const Traffic traffic = parse_traffic_file("server.log", server_log);
  const auto chosen = [&](const std::vector<std::string>& modes) {
    return choose_modes("--traffic-mode", modes, traffic);
  };
  EXPECT_THAT(chosen({"FULL"}).histogram, ElementsAre(Pair(5, 30)));
  EXPECT_THAT(chosen({"NONE", "FULL"}).histogram, ElementsAre(Pair(5, 31)));
  EXPECT_THAT(chosen({"FULL"}).modes, SizeIs(3));
  const auto why = [&](const std::vector<std::string>& modes, const Traffic& of) {
    return refusal([&] { choose_modes("--traffic-mode", modes, of); });
  };
  EXPECT_THAT(why({"FUL"}, traffic), AllOf(StartsWith("--traffic-mode: \"FUL\""), HasSubstr("\"FULL\"?")));
  EXPECT_THAT(why({"FULL", "FULL"}, traffic), HasSubstr("given twice"));
  EXPECT_THAT(why({"FULL"}, parse_traffic_file("t.csv", "size,count\n4,10\n")),
              HasSubstr("leave the option out"));
  const std::string header = "| Unpadded Tokens | Padded Tokens | Num Paddings | Runtime Mode | Count |\n";
  const Traffic full = parse_traffic_file("t", header + "| 5 | 8 | 3 | FULL | 1 |\n");
  EXPECT_THAT(why({"NONE"}, full), HasSubstr("give one or more of FULL"));
  EXPECT_THAT(choose_modes("--traffic-mode", {"FULL", "NONE"}, full).modes, SizeIs(1));
}

TEST(TrafficFile, WhatIsWrongIsNamedWithItsLine) {
  const std::string header = "| Unpadded Tokens | Padded Tokens | Num Paddings | Runtime Mode | Count |\n";
  struct Wrong {
    std::string content, place, words;
  };
  for (const Wrong& each : std::initializer_list<Wrong>{
           {"", "1: ", "empty"},
           {"size,count\n", "1: ", "no step"},
           {"size,count\n4,0\n", "2: ", "no step"},
           {"width,count\n1,1\n", "1: \"width,count\" is not a header", "time,size"},
           {"size,count\n0,3\n", "2: ", "no step but idle ones"},
           {"size,count\n-2,3\n", "2: ", "\"-2\" is not a size"},
           {"size,count\n2.5,3\n", "2: ", "\"2.5\" is not a size"},
           {"size,count\n99999999,3\n", "2: ", "too large for a size"},
           {"size,count\n9,99999999999999\n", "2: ", "too large for a count"},
           {"size,count\n99999999999999999999,3\n", "2: ", "too large for a size"},
           {"size,count\n4,1\n4,3\n", "3: ", "size 4 is given twice"},
           {"size,count\n9\n", "2: \"9\" does not have 2 fields", "give"},
           {"size,Size\n9,9\n", "1: ", "two columns are called \"size\""},
           {"4,9\n", "1: ", "not a header"},
           {"8\nx\n", "2: ", "\"x\" is not a size"},
           {"{\"size\": 4}\n{\"size\": 4\n", "2: ", "not a JSON object"},
           {"{\"size\": [4]}\n", "1: ", "\"[4]\" is not a size"},
           {"time,size\n2026-11-28 10:00,4\n", "2: ", "a date such as"},
           {"\x1f\x8bxx", "", "gunzip -c"},
           {"\xff\xfex", "", "UTF-8"},
           {"time,size\n1,4\n0.5,4\n", "3: ", "time goes back"},
           {"time,size\n-1,4\n", "2: ", "\"-1\" is not a time"},
           {"time,size\nnan,4\n", "2: ", "\"nan\" is not a time"},
           {header + "| 5 | 8 | 2 | FULL | 1 |\n", "2: ", "paddings"},
           {header + "| 5 | 5 | none | FULL | 1 |\n", "2: ", "\"none\" is not a number of"},
           {header + "| 5 | 8 |\n", "1: ", "no step"},
           {header + "| 5 | 8 | 3 | FULL; | 1 |\n", "2: ", "\"FULL;\" is not a runtime mode"},
           {header, "1: ", "no step"},
           {"\nINFO: ready\nINFO: | 5 | 8 | 3 | FULL | 1 |\n", "2: \"INFO: ready\" is not a header",
            "vLLM's table of tokens (--cudagraph-metrics)"}}) {
    EXPECT_THAT(refusal([&] { parse_traffic_file("t.csv", each.content); }),
                AllOf(StartsWith("t.csv:" + each.place), HasSubstr(each.words)))
        << each.content;
  }
}

TEST(TrafficFile, IsReadFromDisk) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("traffic.csv", "size,count\n" + std::string(200'000, '\n') + "8,3\n");
  EXPECT_THAT(read_traffic("--traffic", path).histogram, ElementsAre(Pair(8, 3)));
}

TEST(Remainders, SumToTheTotalAndStayWithinOneOfTheShare) {
  for (std::int64_t total : {1, 7, 100, 9'999}) {
    std::map<std::int64_t, double> weights;
    double sum = 0;
    for (int key = 1; key <= 50; ++key) sum += weights[key] = std::fmod(key * 37.7, 11.3) + 0.01;
    std::int64_t seen = 0;
    for (const auto& [key, count] : largest_remainders(weights, total)) {
      EXPECT_LT(std::abs(static_cast<double>(count) - weights[key] / sum * static_cast<double>(total)), 1);
      seen += count;
    }
    EXPECT_EQ(seen, total);
  }
  EXPECT_THAT(largest_remainders({{1, 1}, {2, 1}, {3, 1}}, 4),
              ElementsAre(Pair(1, 2), Pair(2, 1), Pair(3, 1)));
}

TEST(Steps, AllAreTheFilesCountsAndHaveNoEndElsewhere) {
  const Traffic file = parse_traffic_file("t", "size,count\n3,7\n5,1\n");
  EXPECT_THAT(counts_of(make_trace(file, {}).rows), ElementsAre(Pair(3, 7), Pair(5, 1)));
  EXPECT_THAT(refusal([] { make_trace(read_traffic("--traffic", "zipf:1:4"), {}); }),
              HasSubstr("has no last step"));
  const Traffic large = parse_traffic_file("t", "size,count\n3,7000000\n");
  EXPECT_THAT(refusal([&] { make_trace(large, {}); }), HasSubstr("more than 1000000 steps"));
}

TEST(Steps, DependOnTheSeedAloneInTheirOrder) {
  EXPECT_EQ(steps_of("zipf:1:64", 500, 3).rows, steps_of("zipf:1:64", 500, 3).rows);
  EXPECT_NE(steps_of("zipf:1:64", 500, 3).rows, steps_of("zipf:1:64", 500, 4).rows);
  EXPECT_NE(steps_of("zipf:1:64", 500, 3).digest(), steps_of("zipf:1:64", 500, 4).digest());
  EXPECT_EQ(counts_of(steps_of("zipf:1:64", 500, 3).rows), counts_of(steps_of("zipf:1:64", 500, 4).rows));
}

TEST(Steps, OfATraceAreItsFirstOnesAtTheirTimes) {
  const Traffic trace = parse_traffic_file("t", "time,size\n10,3\n10.5,1\n12,7\n");
  const Trace first = make_trace(trace, {.steps = 2, .rate = {}});
  EXPECT_THAT(first.rows, ElementsAre(3, 1));
  EXPECT_THAT(first.arrivals, ElementsAre(0, 0.5));
  EXPECT_THAT(make_trace(trace, {}).rows, ElementsAre(3, 1, 7));
  EXPECT_THAT(refusal([&] { make_trace(trace, {.steps = 2, .rate = 5.0}); }), StartsWith("--arrivals: "));
}

TEST(Steps, ArriveAtTheRateInTheMean) {
  const Trace trace =
      make_trace(read_traffic("--traffic", "uniform:1:1"), {.steps = 20'000, .rate = 1000.0, .seed = 1});
  ASSERT_EQ(trace.arrivals.size(), 20'000u);
  EXPECT_TRUE(std::ranges::is_sorted(trace.arrivals));
  EXPECT_NEAR(trace.arrivals.back(), 20, 1);
}

}  // namespace
}  // namespace graphbench::ladder
