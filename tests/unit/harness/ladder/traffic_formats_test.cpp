// Tests traffic files as people and engines write them: what each gives, and what would do instead.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/refusal.hpp"
#include "tests/unit/harness/ladder/traffic_fixture.hpp"

namespace graphbench::ladder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

using test::refusal;

using Counts = std::map<std::int64_t, double>;

// How often each size comes.
Counts counts_of(const Traffic& traffic) {
  Counts counts = traffic.histogram;
  for (const std::int64_t rows : traffic.trace) ++counts[rows];
  return counts;
}

std::string with_prefix(const std::string& prefix, const std::string& text, const std::string& suffix = "") {
  std::string lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    lines += prefix + text.substr(at, text.find('\n', at) - at) + suffix + "\n";
  return lines;
}

const std::string table =
    "| Unpadded Tokens | Padded Tokens | Num Paddings | Runtime Mode | Count |\n"
    "|-----------------|---------------|--------------|--------------|-------|\n"
    "| 3               | 4             | 1            | FULL         | 2     |\n"
    "| 8               | 8             | 0            | PIECEWISE    | 1     |\n";
const std::string log_prefix = "(APIServer pid=1) INFO 12-02 16:51:04 [compilation/cuda_graph.py:108] ";
const std::string stats =
    "INFO 12-02 16:51:04 [loggers.py:257] Engine 000: Avg prompt throughput: 32.3 tokens/s, Avg generation "
    "throughput: 114.4 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 0.1%\n";
const std::string sglang =
    "[2026-04-05 20:02:50] server_args=ServerArgs(model_path='m', port=30000)\n"
    "[2026-04-05 20:02:51] Prefill batch, #new-seq: 1, #new-token: 158, token usage: 0.08, #running-req: 31, "
    "#queue-req: 0\n"
    "[2026-04-05 20:02:51 TP0] Decode batch, #running-req: 3, #token: 11179, token usage: 0.08, cuda graph: "
    "True, gen throughput (token/s): 1635.11, #queue-req: 0\n"
    "[2026-04-05 20:02:52] Decode batch. #running-req: 8, #full token: 9, cuda graph: False, #queue-req: 3, "
    "\n"
    "[2026-04-05 20:02:53] Decode batch. #running-req: 3, #token: 9, accept len: 1.00, #queue-req: 0\n";
std::string iteration(const char* scheduled, const char* context) {
  return std::string("[04/28/2025-09:56:44] [TRT-LLM] [I] iter = 198, global_rank = 0, rank = 0, ") +
         "currank_total_requests = 0/0, host_step_time = 5.1ms, timestamp = 2025-04-28 09:56:44, " +
         "num_scheduled_requests: " + scheduled + ", states = {'num_ctx_requests': " + context +
         ", 'num_ctx_tokens': 0, 'num_generation_tokens': 16}\n";
}
std::string statistics(const char* scheduled, const char* context, const char* end = "\n") {
  return std::string(
             "{\"iter\": 7, \"numActiveRequests\": 9, \"inflightBatchingStats\": "
             "{\"numScheduledRequests\": ") +
         scheduled + ", \"numContextRequests\": " + context + ", \"numGenRequests\": 1}}" + end;
}
std::string bucket(const char* edge, const char* steps, const char* engine = "0") {
  return std::string("vllm:iteration_tokens_total_bucket{engine=\"") + engine + "\",le=\"" + edge +
         "\",model_name=\"org/m\"} " + steps + "\n";
}
const std::string metrics =
    "# HELP vllm:iteration_tokens_total Histogram of number of tokens per engine_step.\n"
    "# TYPE vllm:iteration_tokens_total histogram\n" +
    bucket("1.0", "0.0") + bucket("4.0", "2.0") + bucket("8.0", "3.0") + bucket("+Inf", "3.0") +
    "vllm:iteration_tokens_total_count{engine=\"0\",model_name=\"org/m\"} 3.0\n"
    "vllm:num_requests_running{engine=\"0\",model_name=\"org/m\"} 5.0\n";

const Counts as_ever = {{3, 2}, {8, 1}};

TEST(TrafficFormats, AreReadAsTheyAre) {
  struct File {
    const char* name;
    std::string content;
    Counts counts = as_ever;
  };
  for (const File& each : std::initializer_list<File>{
           {"lines that end with CR", "size,count\r\n3,2\r\n8,1\r\n"},
           {"times since 1970", "time,size\n1790000000.5,3\n1790000001,3\n1790000002,8\n"},
           {"vLLM's table with colours",
            with_prefix("\x1b[0;36m" + log_prefix + "\x1b[0m", table, "\x1b[0m")},
           {"vLLM's table from Kubernetes",
            with_prefix("2026-11-28T10:00:00.123456789Z stdout F " + log_prefix, stats + table)},
           {"vLLM's table from docker",
            with_prefix("{\"log\":\"" + log_prefix, table, "\\n\",\"stream\":\"stderr\",\"time\":\"2026\"}")},
           {"vLLM's metrics", metrics, {{4, 2}, {8, 1}}},
           {"vLLM's lines", stats + stats + "INFO Running: 8 reqs, Waiting: 1 reqs\n"},
           {"SGLang's decode lines", sglang},
           {"TensorRT-LLM's iterations",
            iteration("3", "0") + iteration("9", "1") + iteration("8", "0") + iteration("3", "0")},
           {"TensorRT-LLM's statistics",
            statistics("3", "0") + "[" + statistics("9", "1", "") + ", " + statistics("8", "0", "") + "]\n" +
                "{\"iter\": 1, \"inflightBatchingStats\": null}\n" + statistics("3", "0")},
           {"JSON logs from Kubernetes and compose",
            "2026-11-28T10:00:00.123Z stdout F {\"level\": \"INFO\", \"message\": \"Decode batch. "
            "#running-req: 3, x\"}\n"
            "vllm-1  | {\"msg\": \"Decode batch. #running-req: 8, x\"}\n"
            "[pod/a/b] {\"log\": \"{\\\"msg\\\": \\\"Decode batch. #running-req: 3, x\\\"}\\n\"}\n"},
           {"one size a line", "3\n8\n\n3\n"},
           {"a byte order mark", "\xef\xbb\xbfsize,count\n3,2\n8,1\n"},
           {"comments", "# of Tuesday\nsize,count\n3,2\n# the largest\n8,1\n"},
           {"capitals", "Time, Size\n0,3\n1,3\n2,8\n"},
           {"another order", "size,time\n3,0\n3,1\n8,2\n"},
           {"a third column", "time,size,queue\n0,3,1\n1,3,0\n2,8,5\n"},
           {"idle steps", "time,size\n0,3\n1,0\n1.5,3\n2,8\n"},
           {"another name", "batch_size\n3\n8\n3\n"},
           {"semicolons and quotes", "\"Size\";\"Count\"\n3;2\n8;1\n"},
           {"dates",
            "timestamp,size\n2026-11-28T10:00:00Z,3\n2026-11-28 10:00:00.5,3\n2026-11-28T11:00:01+01:00,8\n"},
           // Beyond those that people were seen to give:
           {"JSONL",
            "{\"time\": 0, \"Batch Size\": 3}\n{\"batch size\": \"3\", \"time\": 1, \"x\": [1]}\n"
            "{\"time\": 2.5, \"batch_size\": 8}\n"},
           {"a table in one message",
            R"({"log":"{\"message\": \"**CUDAGraph Stats:**\\n\\n| Unpadded Tokens | Padded Tokens )"
            R"(| Num Paddings | Runtime Mode | Count |\\n|-|-|-|-|-|\\n| 3 | 4 | 1 | FULL | 2 |\\n)"
            R"(| 8 | 8 | 0 | FULL | 1 |\"}\n"})"},
           {"a data frame's sizes", "batch_size\tn\n3.0\t2\n8.0\t1\n"},
           {"vLLM's iteration details",
            "Engine 000: Iteration(1): 0 context requests, 0 context tokens, 3 generation requests, 3 "
            "generation "
            "tokens, iteration elapsed time: 1.00 ms\n"
            "Iteration(2): 1 context requests, 6 context tokens, 2 generation requests, 2 generation tokens, "
            "\n"
            "Iteration(3): 0 context requests, 0 context tokens, 1 generation requests, 3 generation tokens, "
            "\n"},
           {"readings of SGLang's metrics",
            "sglang:num_running_reqs{model_name=\"m\"} 3.0\n"
            "sglang:num_running_reqs{model_name=\"m\"} 8.0 1790000000000\n"
            "sglang:num_running_reqs{model_name=\"m\"} 3.0\n"}}) {
    Counts counts;
    EXPECT_EQ(refusal([&] { counts = counts_of(parse(each.content)); }), "accepted") << each.name;
    EXPECT_EQ(counts, each.counts) << each.name;
  }
}

TEST(TrafficFormats, WithoutBatchesAreToldWhatWouldDo) {
  for (const auto& [content, words] : std::initializer_list<std::pair<std::string, std::string>>{
           {"prompt_tokens,count\n3,1\n", "has requests without a time or without output tokens"},
           {"INFO 09-21 [api_server.py:1] vLLM API server version 0.21.0\n",
            "run vLLM with --cudagraph-metrics"},
           {"Capturing CUDA graphs (decode, FULL): 100%|####| 67/67 [00:04<00:00, 14.9it/s]\n",
            "run vLLM with --cudagraph-metrics"},
           {sglang.substr(0, sglang.find("[2026-04-05 20:02:51 TP0]")),
            "run SGLang with --decode-log-interval 1"},
           {"[TensorRT-LLM] TensorRT-LLM version: 1.2.0\n", "run TensorRT-LLM with print_iter_log: true"},
           {"[04/28/2025-09:56:44] [TRT-LLM] [I] iter = 198, states = {'num_generation_tokens': 16}\n",
            "print_iter_log: true, which writes its iteration log with num_scheduled_requests"}})
    EXPECT_THAT(refusal([&text = content] { parse(text); }), AllOf(StartsWith("t:1: "), HasSubstr(words)));
}

TEST(TrafficFormats, OfRequestsAreTheTracesThatArePublished) {
  for (const std::string content :
       {"{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46, 47]}\n"
        "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": [46]}\n",
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log "
        "Type\n5,ChatGPT,472,52,524,Conversation "
        "log\n8.053,GPT-4,1087,26,1113,API log\n9,GPT-4,8,0,8,API log\n",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,52\n"
        "2023-11-16 18:17:07.0329600,110,26\n",
        "arrival;completion_tokens\n4,053;26\n1;52\n"}) {
    const Traffic traffic = parse(content);
    ASSERT_THAT(traffic.requests, SizeIs(2)) << content;
    EXPECT_NEAR(traffic.requests[1].arrival - traffic.requests[0].arrival, 3.053, 1e-6) << content;
    EXPECT_EQ(traffic.requests[0].tokens, 52);
    EXPECT_EQ(traffic.requests[1].tokens, 26);
    EXPECT_THAT(refusal([&] { make_trace(traffic, {.steps = 5, .rate = {}}); }),
                HasSubstr("ladder --closed"));
  }
}

TEST(TrafficFormats, OfRequestsNeedARate) {
  EXPECT_THAT(refusal([] { parse("timestamp,output_tokens\n3,0\n4,7\n"); }),
              StartsWith("t:3: no two requests with output tokens arrive at different times"));
}

TEST(TrafficFormats, WithLengthsAreRequestsTimesTokens) {
  const auto with = [](const std::string& content) {
    return with_lengths("--query-lengths", {1, 4}, parse(content));
  };
  EXPECT_THAT(with("size,count\n3,2\n12,1\n").histogram, ElementsAre(Pair(3, 2), Pair(12, 3), Pair(48, 1)));
  const Traffic steps = with("time,size\n0,3\n1,8\n");
  EXPECT_THAT(steps.trace, ElementsAre(3, 12, 8, 32));
  EXPECT_THAT(steps.arrivals, ElementsAre(0, 0, 1, 1));
  for (const std::string& tokens : {table, metrics})
    EXPECT_THAT(refusal([&] { with(tokens); }), HasSubstr("are tokens already, not requests"));
}

TEST(TrafficFormats, SayHowCoarseTheyAreAndWhatIsLeftOut) {
  EXPECT_THAT(parse(metrics).note,
              AllOf(HasSubstr("its bucket's upper edge"), HasSubstr("--cudagraph-metrics")));
  EXPECT_THAT(parse(stats).note, HasSubstr("now and then"));
  EXPECT_THAT(parse(sglang).note, HasSubstr("one decode step in 40"));
  EXPECT_THAT(parse(iteration("3", "0") + iteration("0", "0") + iteration("9", "1")).note,
              "1 idle steps are left out. 1 iterations with prefill are left out");
  EXPECT_THAT(parse(table).note, IsEmpty());
  const Traffic idle = parse("time,size\n0,3\n1,0\n2,8\n");
  EXPECT_EQ(idle.note, "1 idle steps are left out");
  EXPECT_THAT(idle.arrivals, ElementsAre(0, 2));
}

TEST(TrafficFormats, ExactStepsComeBeforeReadings) {
  EXPECT_EQ(counts_of(parse(stats + table)), as_ever);
  EXPECT_EQ(parse(stats + table).note, "");
}

TEST(TrafficFormats, DatesAndUnitsAreSeconds) {
  EXPECT_THAT(parse("time_ms,size\n500,1\n750,1\n").arrivals, ElementsAre(0.5, 0.75));
  EXPECT_THAT(parse("time;size\n0,5;1\n1,5;1\n").arrivals, ElementsAre(0.5, 1.5));
  const std::vector<double> dates =
      parse("time,size\n2026-11-28T10:00:00.25Z,1\n2026-11-28T11:00:01+0100,1\n").arrivals;
  EXPECT_DOUBLE_EQ(dates.at(1) - dates.at(0), 0.75);
}

TEST(TrafficFormats, ScrapesOfACounterAreNotAddedUp) {
  const std::string restarted = bucket("4.0", "1.0") + bucket("+Inf", "1.0");
  EXPECT_THAT(parse(metrics + metrics).histogram, ElementsAre(Pair(4, 2), Pair(8, 1)));
  EXPECT_THAT(
      parse(metrics + bucket("4.0", "5.0 # {id=\"1\"} 3.0") + bucket("8.0", "6") + bucket("+Inf", "6.0"))
          .histogram,
      ElementsAre(Pair(4, 5), Pair(8, 1)));
  EXPECT_THAT(parse(bucket("4.0", "5") + bucket("+Inf", "5") + restarted).histogram, ElementsAre(Pair(4, 6)));
  EXPECT_THAT(parse(bucket("4.0", "5") + bucket("4.0", "2", "1")).histogram, ElementsAre(Pair(4, 7)));
  EXPECT_THAT(refusal([&] { parse(bucket("4.0", "5") + bucket("8.0", "2")); }), HasSubstr("fewer steps"));
  EXPECT_THAT(refusal([&] { parse(bucket("4.0", "x")); }), StartsWith("t:1: \"x\" is not a count"));
}

TEST(TrafficFormats, FilesAreReadOneAfterAnother) {
  const auto both = [](const std::string& first, const std::string& second) {
    return parse_traffic_files({{"a", first}, {"b", second}});
  };
  EXPECT_THAT(both("size,count\n3,2\n", "count,size\n1,3\n1,8\n").histogram,
              ElementsAre(Pair(3, 3), Pair(8, 1)));
  EXPECT_THAT(both("time,size\n0,3\n", "time,size\n5,8\n").arrivals, ElementsAre(0, 5));
  // A rotated log goes on in the middle of a table.
  const std::size_t cut = table.find("| 8");
  EXPECT_THAT(both(table.substr(0, cut), table.substr(cut)).histogram, SizeIs(2));
  const auto why = [&](const std::string& first, const std::string& second) {
    return refusal([&] { both(first, second); });
  };
  EXPECT_THAT(why("time,size\n5,3\n", "time,size\n0,8\n"), StartsWith("b:2: the time goes back"));
  EXPECT_THAT(why("size,count\n3,2\n", "time,size\n0,8\n"), HasSubstr("not all lines"));
  EXPECT_THAT(why("{\"size\": 3, \"time\": 1}\n", "{\"size\": 3}\n"), HasSubstr("not all lines"));
  EXPECT_THAT(why("size\n3\n", "time,size\n0,8\n"), HasSubstr("not all lines"));
  EXPECT_THAT(why(table, "INFO ready\n"), AllOf(StartsWith("b:1: "), HasSubstr("leave it out")));
  EXPECT_THAT(why(table, ""), AllOf(StartsWith("b:1: "), HasSubstr("leave it out")));
}

}  // namespace
}  // namespace graphbench::ladder
