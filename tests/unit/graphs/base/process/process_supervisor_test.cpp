// Runs children that end normally, crash, hang, print much, leave processes behind, or are interrupted.
#include "graphs/base/process/process_supervisor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "graphs/base/error.hpp"
#include "graphs/base/process/child_io.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "tests/support/scripts.hpp"

namespace graphbench::process {
namespace {

using namespace test;
using How = ChildExit::How;
using testing::ElementsAre;

class SupervisorTest : public testing::Test {
 protected:
  ChildExit run(const std::string& script, const std::string& input = "", double silent = 60) {
    return supervisor.run({shell(script), input, silent},
                          [this](std::string_view line) { lines.emplace_back(line); });
  }

  ProcessSupervisor supervisor;
  std::vector<std::string> lines;
};

TEST_F(SupervisorTest, GivesInputAndTakesLinesAndOutput) {
  const ChildExit exit = run("cat >&3; echo out; echo err >&2", "one\ntwo\n");
  EXPECT_EQ(exit.how, How::exited);
  EXPECT_EQ(exit.status, 0);
  EXPECT_EQ(exit.output, "out\nerr\n");
  EXPECT_THAT(lines, ElementsAre("one", "two"));
}

TEST_F(SupervisorTest, GivesVariablesBesideAndOverItsOwn) {
  ASSERT_EQ(setenv("GRAPHBENCH_TEST_KEPT", "kept", 1), 0);
  ASSERT_EQ(setenv("GRAPHBENCH_TEST_OVER", "own", 1), 0);
  ChildCommand command{shell("echo $GRAPHBENCH_TEST_KEPT $GRAPHBENCH_TEST_OVER $GRAPHBENCH_TEST_NEW"), "",
                       60};
  command.environment = {"GRAPHBENCH_TEST_OVER=given", "GRAPHBENCH_TEST_NEW=a=b"};
  EXPECT_EQ(supervisor.run(command, [](std::string_view) {}).output, "kept given a=b\n");
}

TEST_F(SupervisorTest, TellsExitCodesAndSignals) {
  EXPECT_EQ(run("exit 7").status, 7);
  const ChildExit killed = run("kill -SEGV $$");
  EXPECT_EQ(killed.how, How::signalled);
  EXPECT_EQ(killed.signal, SIGSEGV);
}

TEST_F(SupervisorTest, TakesInputAndLinesLargerThanAPipe) {
  run("cat >&3; echo >&3", std::string(1'000'000, 'x'));
  EXPECT_THAT(lines, ElementsAre(std::string(1'000'000, 'x')));
}

TEST_F(SupervisorTest, KeepsTheEndOfMuchOutput) {
  const ChildExit exit = run("head -c 5000000 /dev/zero | tr '\\0' 'x'; echo; echo last");
  EXPECT_EQ(exit.output.size(), 64u * 1024);
  EXPECT_TRUE(exit.output.ends_with("last\n"));
}

TEST_F(SupervisorTest, AHalfLineOfAChildThatDiedIsNoLine) {
  run("echo whole >&3; printf half >&3; kill -KILL $$");
  EXPECT_THAT(lines, ElementsAre("whole"));
}

TEST_F(SupervisorTest, KillsASilentChild) {
  const ChildExit exit = run("echo a >&3; echo thinking; sleep 60", "", 0.3);
  EXPECT_EQ(exit.how, How::timed_out);
  EXPECT_EQ(exit.output, "thinking\n");
  EXPECT_THAT(lines, ElementsAre("a"));
}

TEST_F(SupervisorTest, AChildThatSpeaksInTimeIsNotKilled) {
  EXPECT_EQ(run("for i in 1 2 3 4 5; do sleep 0.2; echo $i >&3; done", "", 0.8).how, How::exited);
  EXPECT_EQ(lines.size(), 5u);
}

TEST_F(SupervisorTest, KillsWhatTheChildLeftBehind) {
  // The grandchild keeps both pipes open: the supervisor must neither wait for it nor let it run on.
  run("sleep 60 & echo $! >&3");
  ASSERT_EQ(lines.size(), 1u);
  const pid_t left = std::stoi(lines[0]);
  for (int i = 0; i < 500 && ::kill(left, 0) == 0; ++i) {
    // A killed process has an id until init has reaped it, so this reads its state: Z or X means ended.
    if (std::system(("grep -q '^State:.*[ZX]' /proc/" + lines[0] + "/status 2>/dev/null").c_str()) == 0)
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_NE(::kill(left, 0), 0);
}

TEST_F(SupervisorTest, KillsWhatHasLeftTheChildsSession) {
  std::vector<pid_t> left;
  supervisor.run(
      {shell("setsid sh -c 'echo $$ >&3; setsid sh -c \"echo \\$\\$ >&3; sleep 60\"' & sleep 60"), "", 60},
      [&](std::string_view line) {
        left.push_back(std::stoi(std::string(line)));
        if (left.size() == 2) throw Error(ErrorCode::invalid_argument, "both have left");
      });
  ASSERT_EQ(left.size(), 2u);
  for (const pid_t each : left) EXPECT_NE(::kill(each, 0), 0) << each;
}

TEST_F(SupervisorTest, LeavesAloneWhatIsNotTheChilds) {
  const SpawnedChild other = spawn(shell("sleep 60"), "", {});
  run("exit 0");
  EXPECT_EQ(waitpid(other.pid, nullptr, WNOHANG), 0);
  ::kill(other.pid, SIGKILL);
  waitpid(other.pid, nullptr, 0);
}

TEST_F(SupervisorTest, KillsAChildWhoseLinesAreRefused) {
  const ChildExit exit = supervisor.run({shell("echo nonsense >&3; sleep 60"), "", 60}, [](std::string_view) {
    throw Error(ErrorCode::invalid_argument, "that is not an event");
  });
  EXPECT_EQ(exit.how, How::refused);
  EXPECT_EQ(exit.refusal, "that is not an event");
}

TEST_F(SupervisorTest, InterruptionKillsTheChildAndKeepsItsLines) {
  const ChildExit exit =
      supervisor.run({shell("echo a >&3; sleep 60"), "", 60}, [this](std::string_view line) {
        lines.emplace_back(line);
        ::kill(getpid(), SIGINT);
      });
  EXPECT_EQ(exit.how, How::interrupted);
  EXPECT_THAT(lines, ElementsAre("a"));
  EXPECT_TRUE(supervisor.interrupted());
  EXPECT_EQ(run("echo never >&3").how, How::interrupted) << "nothing starts any more";
  EXPECT_THROW(supervisor.ask({shell("true"), "", 60}, [](std::string_view) {}), Interrupted);
  EXPECT_EQ(lines.size(), 1u);
}

TEST_F(SupervisorTest, RunsSeveralAtOnceAndKnowsWhichEndedFirst) {
  const std::vector<ChildExit> exits = supervisor.run_all(
      {{shell("cat >&3; sleep 0.3; exit 4"), "one\n", 60}, {shell("cat >&3; echo b; exit 5"), "two\n", 60}},
      [this](std::size_t child, std::string_view line) {
        lines.push_back(std::to_string(child) + " " + std::string(line));
      },
      [](const std::vector<ChildExit>&) { return true; });
  EXPECT_THAT(lines, testing::UnorderedElementsAre("0 one", "1 two"));
  ASSERT_EQ(exits.size(), 2u);
  EXPECT_EQ(exits[0].status, 4);
  EXPECT_EQ(exits[1].status, 5);
  EXPECT_EQ(exits[1].output, "b\n");
  EXPECT_LT(exits[1].ended_ns, exits[0].ended_ns);
}

TEST_F(SupervisorTest, KillsTheChildrenThatStillRunIfTheWatchSaysSo) {
  std::vector<pid_t> running;
  const std::vector<ChildExit> exits = supervisor.run_all(
      {{shell("sleep 60"), "", 60}, {shell("exit 0"), "", 60}}, [](std::size_t, std::string_view) {},
      [&](const std::vector<ChildExit>& so_far) {
        for (const ChildExit& exit : so_far) {
          if (exit.ended_ns == 0) running.push_back(exit.pid);
        }
        return false;
      });
  EXPECT_THAT(running, ElementsAre(exits[0].pid));
  EXPECT_EQ(exits[0].how, How::timed_out);
  EXPECT_FALSE(exits[0].well());
  EXPECT_TRUE(exits[1].well());
  EXPECT_NE(::kill(exits[0].pid, 0), 0);
}

TEST_F(SupervisorTest, TerminationInterruptsToo) {
  EXPECT_FALSE(supervisor.interrupted());
  ::kill(getpid(), SIGTERM);
  EXPECT_TRUE(supervisor.interrupted());
}

TEST(Supervisor, AClosedTerminalInterruptsUnlessItIsIgnored) {
  for (const bool ignored : {false, true}) {
    const auto before = std::signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
    ProcessSupervisor supervisor;
    ::kill(getpid(), SIGHUP);
    EXPECT_EQ(supervisor.interrupted(), !ignored);
    std::signal(SIGHUP, before);
  }
}

TEST_F(SupervisorTest, ACommandThatDoesNotExistIsAnError) {
  EXPECT_THROW(supervisor.run({{"/no/such/file"}, "", 60}, [](std::string_view) {}), Error);
  EXPECT_EQ(run("exit 3").status, 3) << "the supervisor still works";
}

TEST_F(SupervisorTest, ManyChildrenLeaveNoDescriptorsBehind) {
  const auto open_descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  run("exit 0");
  const auto before = open_descriptors();
  for (int i = 0; i < 50; ++i) run("exit 0");
  EXPECT_EQ(open_descriptors(), before);
}

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
  EXPECT_EQ(ended(How::timed_out, ""), "was silent for more than 2 s and was killed");
  EXPECT_EQ(ended(How::refused, "in phase check"),
            "sent an invalid message in phase check (no such event) and was killed");
  EXPECT_EQ(
      how_it_ended({.how = How::exited, .status = 9, .signal = 0, .refusal = "", .output = "a\nb\n"}, 2),
      "ended with exit code 9; its output: a | b");
}

}  // namespace
}  // namespace graphbench::process
