// A document read in windows of cells is the document, or is left to the reader of whole texts.
#include "harness/codec/document_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "harness/codec/parse_document.hpp"
#include "harness/model/input_error.hpp"

namespace graphbench::codec {
namespace {

Document whole(std::string text) {
  const std::size_t size = text.size();
  text.append(text_padding, '\0');
  return parse_document({text.data(), size}, "doc.json");
}

// How many reads it took goes to `reads`.
std::optional<Document> in_windows(std::string_view text, std::size_t window, int* reads = nullptr,
                                   std::size_t threads = 2) {
  const ReadText read = [&](char* to, std::size_t bytes) {
    const std::size_t count = std::min(bytes, text.size());
    std::memcpy(to, text.data(), count);
    text.remove_prefix(count);
    if (reads != nullptr) ++*reads;
    return count;
  };
  return parse_in_windows(read, "doc.json", window, threads);
}

std::string cell(int number, const std::string& blank) {
  return "{" + blank + R"("id")" + blank + R"(:"mlp/b)" + std::to_string(number) +
         R"(","status":"ok","launches":[{"index":0,"latency_seconds":{"p50":1e-4},"machine":{"before":)"
         R"({"sm_clock_hz":)" +
         std::to_string(1000 + number) + R"(,"throttle":["heat"]}}}],"notes":[{"a":1},{"a":"},{\"id\":"}]})";
}

std::string good_list(int cells, const std::string& blank = "") {
  std::string text = "[" + blank;
  for (int i = 0; i < cells; ++i) text += (i > 0 ? blank + "," + blank : "") + cell(i, blank);
  return text + blank + "]";
}

std::string document(int cells, const std::string& blank = "", const std::string& after = "") {
  return R"({"schema":"graphbench.result/1","plan":{"hash":"aa","method":2,"argv":["\"cells\":[{\"id\":"]},)"
         R"("environment":{"cells":[],"fingerprint":"ff"},"cells":)" +
         good_list(cells, blank) + after + R"(,"complete":false})";
}

TEST(CellWindows, MakeTheSameOfADocumentAsReadingItWhole) {
  for (const std::string blank : {"", " ", "\n\t  "}) {
    const std::string text = document(100, blank);
    for (const std::size_t window : {700, 1000, 1500, 5000, 1 << 20}) {
      for (const std::size_t threads : {1, 2, 7}) {
        const std::optional<Document> read = in_windows(text, window, nullptr, threads);
        ASSERT_TRUE(read) << "window " << window << ", blanks " << blank.size();
        EXPECT_EQ(*read, whole(text)) << "window " << window << ", threads " << threads;
        EXPECT_EQ(read->cells.size(), 100u);
      }
    }
  }
}

TEST(CellWindows, AreNeverCutWithinACell) {
  std::string text = document(100);
  for (std::size_t at = text.find(R"("a")"); at != std::string::npos; at = text.find(R"("a")", at))
    text.replace(at, 3, R"("id")");
  int cut_well = 0;
  for (std::size_t window = 600; window < 1200; ++window) {
    const std::optional<Document> read = in_windows(text, window);
    if (!read) continue;
    ++cut_well;
    EXPECT_EQ(*read, whole(text)) << window;
  }
  EXPECT_GT(cut_well, 0);
  EXPECT_LT(cut_well, 600) << "no cut fell between the notes";
}

TEST(CellWindows, AreSeveral) {
  int reads = 0;
  ASSERT_TRUE(in_windows(document(100), 1000, &reads));
  EXPECT_GT(reads, 10);
}

TEST(CellWindows, TakeWhicheverKeyACellBeginsWith) {
  std::string text = document(50);
  const std::string from = R"({"id":"mlp)";
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), R"({"extra":1,"id":"mlp)");
  const std::optional<Document> read = in_windows(text, 1000);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, whole(text));
}

TEST(CellWindows, MakeNothingOfWhatReadingItWholeWouldRefuse) {
  const std::string good = document(100);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text : {
           with("mlp/b77", "mlp/b3"),                                        // an id that is there twice
           with(R"("mlp/b50","status":"ok")", R"("mlp/b50","status":"x")"),  // in the middle
           with(R"("mlp/b99","status":"ok")", R"("mlp/b99","status":"x")"),  // in the last window
           with(R"("graphbench.result/1")", R"("graphbench.result/2")"),
           with(R"("fingerprint")", R"("cells":[{"id":"a","status":"ok"}],"fingerprint")") + "x",
           document(100, "", R"(,"cells":[])"),
           good.substr(0, good.size() / 2),
           good + "}",
           good.substr(0, good.size() - 1),
       }) {
    EXPECT_THROW(whole(text), InputError) << text.substr(0, 100);
    EXPECT_FALSE(in_windows(text, 1000)) << text.substr(0, 100);
  }
}

TEST(CellWindows, LeaveWhatTheyCannotCutToBeReadWhole) {
  EXPECT_FALSE(in_windows(document(100), 200)) << "a cell is larger than the window";
  EXPECT_FALSE(in_windows(document(100, "", R"(,"other":")" + std::string(5000, 'x') + R"(")"), 1000));
  EXPECT_FALSE(in_windows("", 1000));
  EXPECT_FALSE(in_windows(R"({"benchmarks":[]})", 1000));
  // Another list of that name comes first.
  std::string text = document(100);
  const std::string from = R"("cells":[],)";
  text.replace(text.find(from), from.size(), R"("cells":[{"id":"x"},{"id":"y"}],)");
  EXPECT_EQ(whole(text).cells.size(), 100u);
  EXPECT_FALSE(in_windows(text, 1000));

  const std::string list = good_list(100);
  const std::string nested =
      R"({"schema":"graphbench.result/1","plan":{"method":2},"environment":{"cells":)" + list +
      R"(},"cells":[{"id":"a","status":"failed"}]})";
  EXPECT_EQ(whole(nested).cells.size(), 1u);
  EXPECT_FALSE(in_windows(nested, 1000)) << "cells of something else were taken for the document's";
}

}  // namespace
}  // namespace graphbench::codec
