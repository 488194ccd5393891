// Tests folders of documents: documents of shards and of launches become one side.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "harness/judge/compare/read_side.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::judge {
namespace {

Document document(const std::string& source, const std::string& cell, double latency) {
  Document made;
  made.source = source;
  made.facts.started_at = "2026-01-0" + std::to_string(source.size() % 9) + "T00:00:00Z";
  made.facts.fields = {{"fingerprint", "ff"}, {"plan", "aa"}, {"device.name", "GPU"}};
  made.cells.push_back({cell, CellStatus::ok, "", {{0, {{model::Metric::latency, latency}}}}});
  return made;
}

std::string refusal(std::vector<Document> documents) {
  return test::refusal([&] { merge("side", std::move(documents)); });
}

TEST(Merge, LaunchesOfACellAreConcatenated) {
  const Side side = merge("side", {document("a", "x", 1), document("bb", "x", 2), document("c", "y", 3)});
  EXPECT_EQ(side.documents, 3);
  ASSERT_EQ(side.cells.size(), 2u);
  ASSERT_EQ(side.cells[0].launches.size(), 2u);
  EXPECT_EQ(side.cells[0].launches[1][model::Metric::latency], 2);
  EXPECT_EQ(side.facts.started_at, "2026-01-01T00:00:00Z");
}

TEST(Merge, TheWorstStateWins) {
  Document failed = document("b", "x", 2);
  failed.cells.front().state = CellStatus::failed;
  failed.cells.front().reason = "worker_crashed: signal 11";
  const Side side = merge("side", {document("a", "x", 1), failed, document("c", "x", 3)});
  EXPECT_EQ(side.cells.front().state, CellStatus::failed);
  EXPECT_EQ(side.cells.front().reason, "worker_crashed: signal 11");
}

TEST(Merge, OneInterruptedDocumentMakesAnInterruptedSide) {
  Document interrupted = document("b", "y", 1);
  interrupted.facts.complete = false;
  EXPECT_FALSE(merge("side", {document("a", "x", 1), interrupted}).facts.complete);
}

TEST(Merge, MixedMachinesAreRefused) {
  for (const char* field : {"fingerprint", "device.name", "device.driver"}) {
    Document other = document("b", "x", 1);
    other.facts.fields[field] = "other";
    const std::string text = refusal({document("a", "x", 1), other});
    EXPECT_EQ(text.find("b: " + std::string(field) + " is \"other\""), 0u) << text;
  }
}

TEST(Merge, LaunchesOfACellShareAPlanAndShardsNeedNot) {
  Document other = document("b", "x", 1);
  other.facts.fields["plan"] = "bb";
  EXPECT_NE(refusal({document("a", "x", 1), other}).find("cell \"x\" has another plan here than in a"),
            std::string::npos);
  other.cells.front().id = "y";
  const Side side = merge("side", {document("a", "x", 1), other});
  EXPECT_EQ(side.facts.fields.at("plan"), "aa+bb");
}

TEST(Merge, ALaunchCountsOnce) {
  const Document a = document("a", "x", 1);
  Document copy = document("b", "x", 1);
  EXPECT_EQ(refusal({a, copy}), "b: the document has the same launches as a: remove one of the two");
  copy.cells.front().launches.push_back({1, {{model::Metric::latency, 3}}});
  EXPECT_EQ(refusal({a, copy}), "b: the document has the same launches as a: remove one of the two");
  EXPECT_EQ(refusal({copy, document("c", "y", 1), a}),
            "a: the document has the same launches as b: remove one of the two");
}

TEST(Merge, LaunchesThatMayBeTheirOwnAreKept) {
  const Document a = document("a", "x", 1);
  Document other = document("b", "x", 1);
  other.cells.front().launches.front().index = 1;
  EXPECT_EQ(refusal({a, other}), "accepted") << "another launch of the same median";
  other = document("b", "x", 1);
  other.cells.front().launches.front()[model::Metric::capture] = 1;
  EXPECT_EQ(refusal({a, other}), "accepted") << "another capture";
  EXPECT_EQ(refusal({a, document("b", "y", 1)}), "accepted") << "a shard";
  // The median of x repeats by chance, but the median of y does not.
  Document both = a;
  both.cells.push_back({"y", CellStatus::ok, "", {{0, {{model::Metric::latency, 5}}}}});
  other = both;
  other.source = "b";
  other.cells.back().launches.front()[model::Metric::latency] = 6;
  EXPECT_EQ(refusal({both, other}), "accepted");
}

TEST(Merge, FactsDoNotDependOnTheOrderOfDocuments) {
  Document a = document("a", "x", 1);
  Document b = document("b", "y", 1);
  Document c = document("c", "z", 1);
  b.facts.fields["plan"] = "b";
  c.facts.fields["plan"] = "bb";
  a.facts.fields["hostname"] = "two";
  b.facts.fields["hostname"] = "one";
  c.facts.fields["hostname"] = "two";
  c.facts.fields["machine.turbo"] = "true";
  const Side one = merge("side", {a, b, c});
  const Side other = merge("side", {c, b, a});
  EXPECT_EQ(one.facts.fields, other.facts.fields);
  EXPECT_EQ(one.facts.fields.at("plan"), "aa+b+bb") << "one that begins another is its own";
  EXPECT_EQ(one.facts.fields.at("hostname"), "one+two");
  EXPECT_EQ(one.facts.fields.at("machine.turbo"), "true");
}

TEST(Merge, ReadingsOfTheMonitorArePooled) {
  Document a = document("a", "x", 1);
  a.facts.clocks = {{1e9}, 1, {{"sw_power_cap", 1}}};
  Document b = document("b", "x", 2);
  b.facts.clocks = {{2e9}, 2, {{"sw_power_cap", 1}, {"sync_boost", 2}}};
  const DeviceClocks clocks = merge("side", {a, b}).facts.clocks;
  EXPECT_EQ(clocks.sm_clocks_hz, (std::vector{1e9, 2e9}));
  EXPECT_EQ(clocks.launches, 3);
  EXPECT_EQ(clocks.throttled, (std::map<std::string, std::int64_t>{{"sw_power_cap", 2}, {"sync_boost", 2}}));
}

class ReadSide : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { temporary_.write(name, text); }
  std::string refusal(const std::string& path) const {
    return test::refusal([&] { read_side(path); });
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  static std::string good(const std::string& p50) {
    return R"({"schema":"graphbench.result/1","plan":{"method":2},"cells":[{"id":"a","status":"ok",)"
           R"("launches":[{"latency_seconds":{"p50":)" +
           p50 + "}}]}]}";
  }
};

TEST_F(ReadSide, AFolderIsReadInTheOrderOfNamesAndHiddenFilesAreNot) {
  write("b.json", good("1e-4"));
  write("a.json", good("2e-4"));
  write(".c.json", "broken");
  write("notes.txt", "broken");
  const Side side = read_side(folder_.string());
  EXPECT_EQ(side.documents, 2);
  ASSERT_EQ(side.cells.front().launches.size(), 2u);
  EXPECT_EQ(side.cells.front().launches.front()[model::Metric::latency], 2e-4);
}

TEST_F(ReadSide, AFileCountsOnceWhateverItsNames) {
  write("a.json", good("1e-4"));
  const std::string second = (folder_ / "b.json").string();
  const std::string words =
      second + ": this is the same file as " + (folder_ / "a.json").string() + ": remove one of the two";
  std::filesystem::create_symlink("a.json", second);
  EXPECT_EQ(refusal(folder_.string()), words);
  std::filesystem::remove(second);
  std::filesystem::create_hard_link(folder_ / "a.json", second);
  EXPECT_EQ(refusal(folder_.string()), words);
  std::filesystem::remove(second);
  write("b.json", good("1e-4"));
  EXPECT_NE(refusal(folder_.string()).find("b.json: the document has the same launches as "),
            std::string::npos);
}

TEST_F(ReadSide, WhatCannotBeReadIsNamed) {
  const std::string missing = (folder_ / "missing.json").string();
  EXPECT_EQ(refusal(missing), missing + ": the file cannot be read: No such file or directory");
  EXPECT_NE(refusal(folder_.string()).find("the folder has no *.json file"), std::string::npos);
  write("a.json", good("1e-4"));
  write("b.json", "{");
  EXPECT_EQ(refusal(folder_.string()).find((folder_ / "b.json").string() + ": "), 0u);
  std::filesystem::create_directory(folder_ / "c.json");
  EXPECT_NE(refusal((folder_).string()).find("b.json"), std::string::npos);
}

// A document of 8,000 cells: cells[7000] has `status`, all others have "ok".
std::string large_document(const std::string& p50, const std::string& status) {
  const std::string filler(1000, 'x');
  std::string text = R"({"schema":"graphbench.result/1","plan":{"hash":"aa","method":2},"cells":[)";
  for (int i = 0; i < 8000; ++i) {
    text += std::string(i == 0 ? "" : ",") + R"({"id":"c)" + std::to_string(i) + R"(","status":")" +
            (i == 7000 ? status : "ok") + R"(","launches":[{"latency_seconds":{"p50":)" + p50 +
            R"(}}],"notes":")" + filler + R"("})";
  }
  return text + "]}";
}

TEST_F(ReadSide, BothSidesOfLargeDocumentsAreReadAtOnce) {
  write("base.json", large_document("1e-4", "ok"));
  write("new.json", large_document("2e-4", "failed"));
  const Sides sides = read_sides((folder_ / "base.json").string(), (folder_ / "new.json").string());
  ASSERT_EQ(sides.base.cells.size(), 8000u);
  ASSERT_EQ(sides.now.cells.size(), 8000u);
  EXPECT_EQ(sides.base.cells.back().launches.front()[model::Metric::latency], 1e-4);
  EXPECT_EQ(sides.now.cells.back().launches.front()[model::Metric::latency], 2e-4);
  EXPECT_EQ(sides.now.cells[7000].state, CellStatus::failed);
}

TEST_F(ReadSide, OfTwoBrokenSidesTheErrorOfBaseIsTold) {
  const auto told = [&](const std::string& base, const std::string& now) {
    return test::refusal([&] { read_sides((folder_ / base).string(), (folder_ / now).string()); });
  };
  write("large.json", large_document("1e-4", "fine"));
  write("small.json", "{");
  write("good.json", good("1e-4"));
  const std::string large =
      (folder_ / "large.json").string() + ": cells[7000].status: \"fine\" is not one of ";
  EXPECT_EQ(told("large.json", "small.json").find(large), 0u) << told("large.json", "small.json");
  EXPECT_EQ(told("good.json", "large.json").find(large), 0u);
  EXPECT_EQ(told("small.json", "large.json").find((folder_ / "small.json").string()), 0u);
}

TEST_F(ReadSide, ADocumentLargerThanTheLimitIsRefusedUnread) {
  write("huge.json", "{");
  std::filesystem::resize_file(folder_ / "huge.json",
                               static_cast<std::uintmax_t>(model::document_bytes_max) + 1);
  EXPECT_NE(refusal((folder_ / "huge.json").string()).find("larger than 1024 MiB"), std::string::npos);
}

}  // namespace
}  // namespace graphbench::judge
