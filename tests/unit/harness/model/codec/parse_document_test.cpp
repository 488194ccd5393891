// Tests which parts of a document are read, what is refused, and how one object is divided into its members.
#include "harness/model/codec/parse_document.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "harness/model/codec/documents.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::model {
namespace {

Document parse(std::string text) {
  const std::size_t size = text.size();
  text.append(text_padding, '\0');
  return parse_document({text.data(), size}, "doc.json");
}

void expect_refused(const std::string& text, const std::string& words) {
  const std::string message = test::refusal([&] { parse(text); });
  EXPECT_EQ(message.find("doc.json: "), 0u) << message << ": " << text.substr(0, 200);
  EXPECT_NE(message.find(words), std::string::npos) << message << "\nwanted: " << words;
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), 400u);
}

std::string with_cells(const std::string& cells) {
  return R"({"schema":"graphbench.result/1","plan":{"method":2},"cells":[)" + cells + "]}";
}

std::string with_latency(const std::string& p50) {
  return with_cells(R"({"id":"a","status":"ok","launches":[{"latency_seconds":{"p50":)" + p50 + "}}]}");
}

TEST(ParseDocument, TheLeastThatSaysSomethingIsEnough) {
  const Document document = parse(with_latency("1e-4"));
  ASSERT_EQ(document.cells.size(), 1u);
  EXPECT_EQ(document.cells.front().id, "a");
  ASSERT_EQ(document.cells.front().launches.size(), 1u);
  EXPECT_DOUBLE_EQ(document.cells.front().launches.front()[Metric::latency], 1e-4);
  EXPECT_EQ(document.cells.front().launches.front()[Metric::submit], 0);
}

TEST(ParseDocument, FieldsMayComeInAnyOrderAndWithOthers) {
  const Document document = parse(R"({"cells":[{"launches":[
      {"setup":{"capture_seconds":2e-3,"other_seconds":0},"index":3,"device_seconds":null,
       "submit_seconds":{"p99":null,"p50":5e-6,"unit":"s"},"latency_seconds":{"p50":1e-4,"max":1}}],
      "notes":{"deep":[[1,2],{"x":true}]},"status":"ok","id":"a\u002fb"},
      {"id":"c","status":"failed","reason":{"code":"io","message":"disk"},"launches":[]}],
      "plan":{"hash":"aa","method":2,"launches":5,"interleaved":{"id":"run 1","looks":[5,10]},"axes":{}},
      "environment":{"device":{"name":"GPU","libraries":{"cudnn":"9","x":null}},
        "fingerprint":"ff","more":[1]},
      "tool":{"commit":"abc"},"complete":false,"schema":"graphbench.result/1"})");
  const LaunchTimes& launch = document.cells.front().launches.front();
  EXPECT_EQ(document.cells.front().id, "a/b");
  EXPECT_EQ(launch.index, 3);
  EXPECT_DOUBLE_EQ(launch[Metric::capture], 2e-3);
  EXPECT_DOUBLE_EQ(launch[Metric::submit], 5e-6);
  EXPECT_EQ(launch[Metric::device], 0);
  EXPECT_EQ(document.cells.back().state, CellStatus::failed);
  EXPECT_EQ(document.cells.back().reason, "io: disk");
  EXPECT_EQ(document.facts.interleaved, "run 1");
  EXPECT_EQ(document.facts.looks, (std::vector<std::int64_t>{5, 10}));
  EXPECT_EQ(document.facts.fields.at("device.libraries.cudnn"), "9");
  EXPECT_EQ(document.facts.fields.at("plan.launches"), "5");
  EXPECT_EQ(document.facts.tool_commit, "abc");
  EXPECT_FALSE(document.facts.complete);
}

TEST(ParseDocument, LooksGrowAndAreFew) {
  const auto with_looks = [](const std::string& looks) {
    const std::string rest =
        with_latency("1e-4").substr(std::string(R"({"schema":"graphbench.result/1","plan":{)").size());
    return R"({"schema":"graphbench.result/1","plan":{"interleaved":{"id":"r","looks":[)" + looks + "]}," +
           rest;
  };
  std::string twenty = "1";
  for (int look = 2; look <= 20; ++look) twenty += "," + std::to_string(look);
  EXPECT_EQ(parse(with_looks(twenty)).facts.looks.size(), 20u);
  for (const std::string& wrong : {twenty + ",21", std::string("5,5"), std::string("0"), std::string("10,5")})
    expect_refused(with_looks(wrong), "at most 20 numbers of launches");
}

TEST(ParseDocument, WhatIsNotJsonIsSaidToBe) {
  expect_refused("", "the file is empty");
  expect_refused(" \n", "the file is empty");
  expect_refused(with_latency("1e-4").substr(0, 70), "cut off");
  expect_refused(with_latency("1e-4") + "}", "not JSON");
  expect_refused(with_latency("1e-4") + "{}", "there is text after");
  expect_refused("{\"schema\":\"graphbench.result/1\",\"a\":\"\xff\"}", "not UTF-8");
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[],"x":bla})"),
                 "cells[0].x: bla is not JSON");
  expect_refused(with_cells(R"({"id":"a\q","status":"ok"})"), "cells[0].id: ");
  expect_refused(R"({"schema":"graphbench.result/1","x":01})", "x: 01 is not");
}

TEST(ParseDocument, DeepNestingIsRefusedWithoutRunningOutOfStack) {
  const std::string deep(1'000'000, '[');
  const std::string up(1'000'000, ']');
  expect_refused(R"({"schema":"graphbench.result/1","x":)" + deep + up + "}", "deeper than 64 levels");
  expect_refused(R"({"x":)" + deep + up + R"(,"schema":"graphbench.result/1"})", "deeper than 64 levels");
  expect_refused(deep, "not");
}

TEST(ParseDocument, ForeignDocumentsAreCalledForeign) {
  expect_refused("[1]", "not a result document");
  expect_refused("3", "not a result document");
  expect_refused("{\"benchmarks\":[]}", "the file has no \"schema\"");
  expect_refused("{\"schema\":1}", "the file has no \"schema\"");
  expect_refused("{\"schema\":\"graphbench.result/2\"}", "the schema is \"graphbench.result/2\"");
  expect_refused("{\"schema\":\"graphbench.floors/1\"}", "this program reads \"graphbench.result/1\"");
}

TEST(ParseDocument, TimesArePositiveAndFinite) {
  const std::string place = "cells[0].launches[0].latency_seconds.p50: ";
  expect_refused(with_latency("0"), place + "0 is not a positive time");
  expect_refused(with_latency("-1e-4"), place + "-1e-04 is not a positive time");
  expect_refused(with_latency("NaN"), place + "NaN is neither JSON nor a time");
  expect_refused(with_latency("-Infinity"), place + "-Infinity is neither JSON nor a time");
  expect_refused(with_latency("1e999"), place + "1e999 is not a finite number");
  expect_refused(with_latency("1e-300"), place + "1e-300 is not a time");
  expect_refused(with_latency("\"fast\""), place + "\"fast\" is not a finite number");
  expect_refused(with_latency("null"), "launches[0].latency_seconds: the summary has no \"p50\"");
  expect_refused(with_latency("1,\"min\":-1"), "latency_seconds.min: -1 is not a time");
  expect_refused(with_latency("1,\"stddev\":\"x\""), "latency_seconds.stddev: \"x\" is not");
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[{"latency_seconds":{"p99":1}}]})"),
                 "the summary has no \"p50\"");
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[{"setup":{"capture_seconds":-1}}]})"),
                 "setup.capture_seconds: -1 is not a time");
}

TEST(ParseDocument, RanksAreInOrder) {
  const auto refused = [](const std::string& rest, const std::string& words) {
    expect_refused(with_latency("1e-4," + rest), "latency_seconds: the summary contradicts itself: " + words);
  };
  refused(R"("min":2e-4)", "min is greater than p50");
  refused(R"("max":5e-5)", "p50 is greater than max");
  refused(R"("max":0)", "p50 is greater than max");
  refused(R"("p90":3e-4,"p99":2e-4)", "p90 is greater than p99");
  refused(R"("max":1e-4,"p90":2e-4)", "p90 is greater than max");
  refused(R"("p99":null,"p90":2e-4,"p999":1e-4)", "p90 is greater than p999");
  parse(with_latency(R"(1e-4,"min":1e-4,"p90":1e-4,"p99":1e-4,"p999":null,"max":1e-4)"));
  parse(with_latency(R"(1.0000000000001e-4,"min":1e-4,"max":1e-4)"));  // rounded mean of equal medians
  parse(with_latency(R"(1e-4,"min":9e-5,"p90":9.5e-5,"max":1e-3)"));   // one placement of several was slow
}

TEST(ParseDocument, AnOkCellsOutputsAreIdentical) {
  const auto checked = [](const std::string& status, const std::string& identical) {
    return with_cells(R"({"id":"a","status":")" + status + R"(","check":{"reference":"eager")" + identical +
                      R"(},"launches":[{"latency_seconds":{"p50":1}}]})");
  };
  for (const char* unsaid : {R"(,"identical":false)", ""})
    expect_refused(
        checked("ok", unsaid),
        "cells[0]: the cell's status is ok, but its check does not say that outputs are identical");
  parse(checked("ok", R"(,"identical":true)"));
  parse(checked("failed", R"(,"identical":false)"));
}

TEST(ParseDocument, LaunchBoundIsWhatTheRecordsSay) {
  const auto with_share = [](const std::string& share, const std::string& records) {
    return with_cells(R"({"id":"step/b1/eager","status":"ok","launches":[{"latency_seconds":{"p50":4e-4}}],)"
                      R"("summary":{"latency_seconds":{"p50":4e-4},"launch_bound":)" +
                      share + "}" + records + "}");
  };
  const std::string records = R"(,"records":{"steps":5,"busy_seconds":1e-4})";
  const std::string place = "cells[0].summary.launch_bound: the value contradicts the cell's records: ";
  const std::string cell = " (cell \"step/b1/eager\")";
  parse(with_share("0.75", records));
  parse(with_share("0.75", R"(,"records":{"busy_seconds":null})"));
  parse(with_share("null", ""));
  expect_refused(with_share("0.5", records), place + "0.5 is not 0.75, which is 1 - busy / latency" + cell);
  for (const char* none : {"", R"(,"records":null)"})
    expect_refused(with_share("0.75", none), place + "the cell has no records" + cell);
}

TEST(ParseDocument, AnIdSaysWhatItsFieldsSay) {
  const auto with_id = [](const std::string& id, const std::string& more = "") {
    return with_cells(R"({"id":")" + id +
                      R"(","status":"skipped","workload":"mlp","preset":"base","dtype":)"
                      R"("bf16","pass":"forward","batch":1,"warmup":3,"mode":"whole")" +
                      more + "}");
  };
  const std::string id = "mlp/base/bf16/forward/b1/w3/whole";
  const std::string copied = R"(,"io":"copy_in")";
  parse(with_id(id));
  parse(with_id(id + "/io=copy_in", copied));
  parse(with_id(id + "/io=copy_in/of-a-later-version=x", copied + R"(,"of-a-later-version":"x")"));
  for (const char* wrong : {"conv/base/bf16/forward/b1/w3/whole", "mlp/tiny/bf16/forward/b1/w3/whole",
                            "mlp/base/fp16/forward/b1/w3/whole", "mlp/base/bf16/training/b1/w3/whole",
                            "mlp/base/bf16/forward/b77/w3/whole", "mlp/base/bf16/forward/b1/w0/whole",
                            "mlp/base/bf16/forward/b1/w3/eager", "mlp/base/bf16/forward/b1/w3", "a",
                            "mlp/base/bf16/forward/b1/w3/whole/io=copy_in"})
    expect_refused(with_id(wrong), "cells[0]: the cell's id does not match its fields: \"" + id + "\"");
  expect_refused(with_id(id, copied), "the cell's id does not match its fields: \"" + id + "/io=copy_in\"");
  expect_refused(with_id(id + "/io=update", copied), "the cell's id does not match its fields");
}

TEST(ParseDocument, CellsHaveIdsStatusAndLaunches) {
  expect_refused(R"({"schema":"graphbench.result/1","plan":{"method":2}})", "no \"cells\"");
  expect_refused(with_cells(""), "\"cells\" is empty");
  expect_refused(R"({"schema":"graphbench.result/1","cells":{}})", "cells: { is not a list");
  expect_refused(with_cells("1"), "cells[0]: 1 is not an object");
  expect_refused(with_cells(R"({"status":"ok"})"), "has no \"id\"");
  for (const char* unsaid : {R"({"id":"a"})", R"({"id":"a","status":"pending"})"})
    expect_refused(with_cells(unsaid), "has no \"status\" of ok, skipped or failed");
  expect_refused(with_cells(R"({"id":"a","status":"fine"})"),
                 "cells[0].status: \"fine\" is not one of pending, ok, skipped, failed");
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[]})"), "has no launches");
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[{"index":0}]})"),
                 "none of its launches has a time");
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[null,{"latency_seconds":{"p50":1}}]})"),
                 "cells[0].launches[0]: null is not an object");
  EXPECT_TRUE(
      parse(with_cells(R"({"id":"a","status":"failed","launches":null})")).cells.front().launches.empty());
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[{"index":-1}]})"), "index: -1 is not");
  expect_refused(with_cells(R"({"id":"a","status":"failed"},{"id":"a","status":"skipped"})"),
                 "cell \"a\" appears twice");
}

TEST(ParseDocument, ADocumentSaysItsMethod) {
  const std::string cells =
      R"("cells":[{"id":"a","status":"ok","launches":[{"latency_seconds":{"p50":1}}]}]})";
  for (const char* plan : {"", R"("plan":null,)", R"("plan":{"hash":"aa"},)"})
    expect_refused(R"({"schema":"graphbench.result/1",)" + std::string(plan) + cells,
                   "the plan has no \"method\"");
  EXPECT_EQ(parse(R"({"schema":"graphbench.result/1","plan":{"method":1},)" + cells).facts.field("method"),
            "1");
}

TEST(ParseDocument, CountsAreNotNegative) {
  expect_refused(with_cells(R"({"id":"a","status":"skipped","graph":{"nodes":-1}})"),
                 "cells[0].graph.nodes: -1 is not a whole number from 0 up");
  expect_refused(with_cells(R"({"id":"a","status":"skipped","memory":{"exec_bytes":-1}})"),
                 "cells[0].memory.exec_bytes: -1 is not a whole number from 0 up");
}

// A comparison reads a ladder as a cell, but the cells of a result are only those of its sweep.
TEST(ParseDocument, ALadderStandsForACell) {
  const std::string document = with_cells(R"({"id":"a","status":"skipped"})");
  const auto with_ladder = [&](const std::string& id) {
    return document.substr(0, document.size() - 1) + R"(,"ladders":[{"id":")" + id +
           R"(","status":"ok","launches":[{"latency_seconds":{"p50":1}}]}]})";
  };
  const Document read = parse(with_ladder("b"));
  ASSERT_EQ(read.cells.size(), 2u);
  EXPECT_EQ(read.cells.back().launches.at(0)[Metric::latency], 1);
  EXPECT_EQ(read_result(with_ladder("b"), "doc.json").cells.size(), 1u);
  expect_refused(with_ladder("a"), "ladders[0]: cell \"a\" appears twice");
}

TEST(ParseDocument, ALaunchCountsOnce) {
  const std::string launch = R"({"index":3,"latency_seconds":{"p50":1}})";
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[)" + launch + "," + launch + "]}"),
                 "cells[0].launches: index 3 appears twice");
  const std::string other = R"({"latency_seconds":{"p50":1}})";
  EXPECT_EQ(parse(with_cells(R"({"id":"a","status":"ok","launches":[)" + other + "," + other + "]}"))
                .cells.front()
                .launches.back()
                .index,
            1);
}

TEST(ParseDocument, TheMonitorsReadingsAreKept) {
  const auto launch = [](const std::string& machine) {
    return R"({"latency_seconds":{"p50":1},"machine":)" + machine + "}";
  };
  const Document document = parse(with_cells(
      R"({"id":"a","status":"ok","launches":[)" +
      launch(R"({"cpu":3,"throttled":true,"before":{"sm_clock_hz":1e9,"throttle":["sw_power_cap"]},)"
             R"("after":{"sm_clock_hz":2e9,"power_watts":1,"throttle":["sw_power_cap","sync_boost"]}})") +
      "," + launch(R"({"before":null,"after":{"sm_clock_hz":null,"throttle":[]}})") + "," +
      launch(R"({"before":null,"after":null})") + "," + launch("null") + "]}"));
  const DeviceClocks& clocks = document.facts.clocks;
  EXPECT_EQ(clocks.sm_clocks_hz, (std::vector{1e9, 2e9}));
  EXPECT_EQ(clocks.launches, 2);
  EXPECT_EQ(clocks.throttled, (std::map<std::string, std::int64_t>{{"sw_power_cap", 1}, {"sync_boost", 1}}));
  expect_refused(with_cells(R"({"id":"a","status":"ok","launches":[)" +
                            launch(R"({"before":{"sm_clock_hz":"fast"}})") + "]}"),
                 "machine.before.sm_clock_hz: \"fast\" is not a finite number");
}

TEST(ParseDocument, AKeyIsThereOnce) {
  const std::string launches = R"("launches":[{"latency_seconds":{"p50":1}}])";
  expect_refused(with_cells(R"({"id":"a","status":"ok",)" + launches + "," + launches + "}"),
                 "cells[0].launches: the key appears twice");
  expect_refused(with_latency("1,\"p50\":2"), "latency_seconds.p50: the key appears twice");
  expect_refused(with_latency("1,\"p\\u00350\":2"), "latency_seconds.p50: the key appears twice");
  expect_refused(R"({"schema":"graphbench.result/1","schema":"graphbench.result/1"})",
                 "schema: the key appears twice");
  std::string many;
  for (int i = 0; i < 100; ++i) many += ",\"" + std::to_string(i) + "\":0";
  EXPECT_EQ(parse(with_latency("1" + many)).cells.size(), 1u);
  expect_refused(with_latency("1" + many + ",\"99\":0"), "99: the key appears twice");
}

// The padding consists of braces, which the reader must not take for a part of the text.
std::string padded(const std::string& text) {
  return text + std::string(text_padding, '}');
}

bool is_object(const std::string& text) {
  return members_of(std::string_view(padded(text)).substr(0, text.size())).has_value();
}

TEST(ObjectMembers, EachHasItsNameAndValue) {
  const std::string json = R"({"a": "x\ny", "b": true, "c": {"d": [1, {"e": "}"}]}, "f": 1, "g\"": []})";
  const std::string text = padded(json);
  const auto members = members_of(std::string_view(text).substr(0, json.size()));
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 5u);
  EXPECT_EQ(members->at(0).kind, Member::Kind::text);
  EXPECT_EQ(members->at(0).text, "x\ny");
  EXPECT_EQ(members->at(1).kind, Member::Kind::truth);
  EXPECT_TRUE(members->at(1).truth);
  EXPECT_EQ(members->at(2).kind, Member::Kind::object);
  EXPECT_THAT(std::string(members->at(2).raw), testing::StartsWith(R"({"d": [1, {"e": "}"}]})"));
  EXPECT_EQ(members->at(3).kind, Member::Kind::other);
  EXPECT_EQ(members->at(4).name, "g\"");
  EXPECT_EQ(members->at(4).kind, Member::Kind::other);
}

TEST(ObjectMembers, WhatIsNotOneObjectIsNone) {
  EXPECT_TRUE(is_object("{}"));
  for (const char* text :
       {"", " ", "{", "[]", "\"a\"", "1", "null", "{} {}", "{}x", "{\"a\"}", "{\"a\": ", "{\"a\": \"b}",
        "{\"a\": \"\xff\"}", "{\"a\": {}", "{a: 1}", "{\"a\": 1 \"b\": 2}"}) {
    EXPECT_FALSE(is_object(text)) << text;
  }
}

TEST(ObjectMembers, AMemberStandsThereOnce) {
  EXPECT_THROW(is_object(R"({"a": 1, "a": 2})"), InputError);
}

}  // namespace
}  // namespace graphbench::model
