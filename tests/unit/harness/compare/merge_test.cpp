// Folders: documents of shards and of launches become one side.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/compare/read_side.hpp"
#include "harness/config/input_error.hpp"

namespace graphbench::compare {
namespace {

Document document(const std::string& source, const std::string& cell, double latency) {
  Document made;
  made.source = source;
  made.facts.started_at = "2026-01-0" + std::to_string(source.size() % 9) + "T00:00:00Z";
  made.facts.fields = {{"fingerprint", "ff"}, {"plan", "aa"}, {"device.name", "GPU"}};
  made.cells.push_back({cell, CellState::ok, "", {{0, latency, 0, 0, 0}}});
  return made;
}

std::string refusal(std::vector<Document> documents) {
  try {
    merge("side", std::move(documents));
  } catch (const config::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Merge, LaunchesOfACellAreConcatenated) {
  const Side side = merge("side", {document("a", "x", 1), document("bb", "x", 2), document("c", "y", 3)});
  EXPECT_EQ(side.documents, 3);
  ASSERT_EQ(side.cells.size(), 2u);
  ASSERT_EQ(side.cells[0].launches.size(), 2u);
  EXPECT_EQ(side.cells[0].launches[1].latency, 2);
  EXPECT_EQ(side.facts.started_at, "2026-01-01T00:00:00Z");
}

TEST(Merge, TheWorstStateWins) {
  Document failed = document("b", "x", 1);
  failed.cells.front().state = CellState::failed;
  failed.cells.front().reason = "worker_crashed: signal 11";
  const Side side = merge("side", {document("a", "x", 1), failed, document("c", "x", 1)});
  EXPECT_EQ(side.cells.front().state, CellState::failed);
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
  EXPECT_NE(refusal({document("a", "x", 1), other}).find("cell \"x\" comes from another plan than in a"),
            std::string::npos);
  other.cells.front().id = "y";
  const Side side = merge("side", {document("a", "x", 1), other});
  EXPECT_EQ(side.facts.fields.at("plan"), "aa+bb");
}

class ReadSide : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "graphbench-read-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::string refusal(const std::string& path) const {
    try {
      read_side(path);
    } catch (const config::InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_;
  const std::string good_ = R"({"schema":"graphbench.result/1","cells":[{"id":"a","status":"ok",)"
                            R"("launches":[{"latency_seconds":{"p50":1e-4}}]}]})";
};

TEST_F(ReadSide, AFolderIsReadInTheOrderOfNamesAndHiddenFilesAreNot) {
  write("b.json", good_);
  write("a.json", good_);
  write(".c.json", "broken");
  write("notes.txt", "broken");
  const Side side = read_side(folder_.string());
  EXPECT_EQ(side.documents, 2);
  EXPECT_EQ(side.cells.front().launches.size(), 2u);
}

TEST_F(ReadSide, WhatCannotBeReadIsNamed) {
  const std::string missing = (folder_ / "missing.json").string();
  EXPECT_EQ(refusal(missing), missing + ": it cannot be read: No such file or directory");
  EXPECT_NE(refusal(folder_.string()).find("the folder holds no *.json"), std::string::npos);
  write("a.json", good_);
  write("b.json", "{");
  EXPECT_EQ(refusal(folder_.string()).find((folder_ / "b.json").string() + ": "), 0u);
  std::filesystem::create_directory(folder_ / "c.json");
  EXPECT_NE(refusal((folder_).string()).find("b.json"), std::string::npos);
}

TEST_F(ReadSide, ADocumentLargerThanTheLimitIsRefusedUnread) {
  write("huge.json", "{");
  std::filesystem::resize_file(folder_ / "huge.json", static_cast<std::uintmax_t>(document_bytes_max) + 1);
  EXPECT_NE(refusal((folder_ / "huge.json").string()).find("larger than 1024 MiB"), std::string::npos);
}

}  // namespace
}  // namespace graphbench::compare
