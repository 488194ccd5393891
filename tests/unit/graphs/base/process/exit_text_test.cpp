// Words for how children end.
#include "graphs/base/process/exit_text.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace graphbench::process {
namespace {

TEST(ExitText, NamesSignalsAndSeconds) {
  EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(signal_name(SIGKILL), "SIGKILL");
  EXPECT_EQ(signal_name(63), "signal 63");
  EXPECT_EQ(seconds_text(120), "120 s");
  EXPECT_EQ(seconds_text(0.5), "0.5 s");
}

TEST(ExitText, QuotesTheLastThreeLines) {
  EXPECT_EQ(last_lines("a\nb\n\nc\nd\n"), "b | c | d");
  EXPECT_EQ(last_lines("no newline"), "no newline");
  EXPECT_EQ(last_lines("\n\n"), "");
  EXPECT_EQ(last_lines(""), "");
}

TEST(ExitText, QuotesOneShortLine) {
  const std::string text = last_lines("begin\x1b[31m" + std::string(1000, 'x') + "end\n");
  EXPECT_EQ(text.size(), 400u);
  EXPECT_TRUE(text.starts_with("...x"));
  EXPECT_TRUE(text.ends_with("xend"));
  EXPECT_EQ(last_lines("\x1b[31mred").find('\x1b'), std::string::npos);
}

TEST(ExitText, SaysHowAChildEnded) {
  using How = ChildExit::How;
  const auto ended = [](How how, const std::string& during) {
    return how_it_ended({.how = how, .status = 9, .signal = SIGBUS, .refusal = "no such event", .output = ""},
                        2, during);
  };
  EXPECT_EQ(ended(How::signalled, "while it was loaded"), "crashed with SIGBUS while it was loaded");
  EXPECT_EQ(ended(How::timed_out, ""), "was silent for more than 2 s; killed");
  EXPECT_EQ(ended(How::refused, "in phase check"),
            "broke the protocol in phase check (no such event); killed");
  EXPECT_EQ(
      how_it_ended({.how = How::exited, .status = 9, .signal = 0, .refusal = "", .output = "a\nb\n"}, 2),
      "ended with exit code 9; it said: a | b");
}

}  // namespace
}  // namespace graphbench::process
