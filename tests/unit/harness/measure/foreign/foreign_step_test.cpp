// Tests which parts of a foreign step each mode permits, and whether the step or graphbench launches a part.
#include "harness/measure/foreign/foreign_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/fake_device.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::measure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Made {
  std::vector<std::uint8_t> parts;
  std::vector<std::string> calls;
  bool lends = true;
};

int open(const gb_step_request*, void** step, char*, std::size_t, void* user) {
  *step = user;
  return 0;
}

std::int32_t parts(void* step, std::uint8_t* kinds, std::int32_t, char*, std::size_t) {
  const auto& made = *static_cast<Made*>(step);
  std::ranges::copy(made.parts, kinds);
  return static_cast<std::int32_t>(made.parts.size());
}

int run(void* step, std::int32_t part, char*, std::size_t) {
  static_cast<Made*>(step)->calls.push_back("run " + std::to_string(part));
  return 0;
}

int capture(void* step, std::int32_t part, void** graph, char*, std::size_t) {
  auto& made = *static_cast<Made*>(step);
  made.calls.push_back("capture " + std::to_string(part));
  *graph = made.lends ? step : nullptr;
  return 0;
}

class LendingDevice final : public test::FakeDevice {
 public:
  std::unique_ptr<Graph> borrow_graph(void*) override { return std::make_unique<test::FakeGraph>(log, 3); }
};

class ForeignStepTest : public testing::Test {
 protected:
  ForeignStep made(const std::string& mode, std::vector<std::uint8_t> kinds) {
    made_.parts = std::move(kinds);
    return {
        record_, {.batch = 1, .mode = mode, .device_uuid = "GPU-0", .split_ops = {}, .axes = {}}, *stream_};
  }
  std::string refused(const std::string& mode, std::vector<std::uint8_t> kinds) {
    return test::failure([&] { made(mode, std::move(kinds)); });
  }
  void run_all(ForeignExecutor& executor) {
    for (int i = 0; i < 2; ++i) executor.warm_up();
    executor.capture();
    executor.instantiate();
    executor.upload();
    for (int i = 0; i < 2; ++i) executor.submit();
  }

  Made made_;
  gb_step record_{.struct_size = sizeof(gb_step),
                  .mode_count = 0,
                  .name = "made",
                  .help = "",
                  .modes = nullptr,
                  .open = open,
                  .parts = parts,
                  .run = run,
                  .capture = capture,
                  .fill = nullptr,
                  .outputs = nullptr,
                  .report = nullptr,
                  .close = [](void*) {},
                  .user = &made_,
                  .state = nullptr,
                  .check = nullptr,
                  .rows = nullptr,
                  .narrow = nullptr,
                  .drop = nullptr,
                  .run_by_modules = nullptr};
  LendingDevice device_;
  std::unique_ptr<Stream> stream_ = device_.make_stream();
};

TEST_F(ForeignStepTest, AGraphThatIsLentIsLaunchedHere) {
  ForeignStep step = made("whole", {GB_PART_CAPTURED});
  ForeignExecutor executor(device_, *stream_, step, false);
  run_all(executor);
  EXPECT_THAT(made_.calls, ElementsAre("run -1", "run -1", "capture 0"));
  EXPECT_EQ(2, device_.log.graph_launches);
  EXPECT_NE(nullptr, executor.exec_of(0));
}

TEST_F(ForeignStepTest, AGraphThatTheStepLaunchesIsCountedAndNotInstantiated) {
  ForeignStep step = made("whole", {GB_PART_LAUNCHED});
  ForeignExecutor executor(device_, *stream_, step, false);
  run_all(executor);
  EXPECT_THAT(made_.calls, ElementsAre("run -1", "run -1", "capture 0", "run 0", "run 0"));
  EXPECT_EQ(0, device_.log.instantiations);
  EXPECT_EQ(3, executor.counts().graphs.contents.nodes);
  EXPECT_EQ(1, executor.counts().graphs.pieces);
  EXPECT_EQ(nullptr, executor.exec_of(0));
}

TEST_F(ForeignStepTest, AGraphThatTheStepCannotLendIsLaunchedAndItsNodesAreNotKnown) {
  made_.lends = false;
  ForeignStep step = made("whole", {GB_PART_UNSEEN});
  ForeignExecutor executor(device_, *stream_, step, false);
  run_all(executor);
  EXPECT_THAT(made_.calls, ElementsAre("run -1", "run -1", "capture 0", "run 0", "run 0"));
  EXPECT_TRUE(executor.counts().unseen);
  EXPECT_EQ(1, executor.counts().graphs.pieces);
  EXPECT_TRUE(executor.graphs().empty());
}

TEST_F(ForeignStepTest, TooManyOutputsAndTooLongAReportAreRefusedWithTheLimit) {
  record_.outputs = [](void*, const gb_step_output**, char*, std::size_t) { return std::int32_t{5000}; };
  ForeignStep many = made("eager", {GB_PART_RUN});
  EXPECT_THAT(test::failure([&] { many.outputs(); }), HasSubstr("5000 outputs: give at most 4096"));
  record_.report = [](void*) {
    static const std::string text(std::size_t{2} << 20, ' ');
    return text.c_str();
  };
  ForeignStep talkative = made("eager", {GB_PART_RUN});
  EXPECT_THAT(test::failure([&] { talkative.report(); }), HasSubstr("longer than 1048576 bytes"));
}

TEST_F(ForeignStepTest, AStepIsRunByModulesAndAFailureInBetweenComesAfterIt) {
  std::vector<std::string> names;
  ForeignStep nameless = made("eager", {GB_PART_RUN});
  nameless.run_by_modules([&](std::string name) { names.push_back(name); });
  EXPECT_TRUE(names.empty());
  record_.run_by_modules = [](void* step, void (*mark)(const char*, void*), void* marks, char*, std::size_t) {
    for (const char* name : {"up", "", "down"}) mark(name, marks);
    static_cast<Made*>(step)->calls.push_back("done");
    return 0;
  };
  ForeignStep step = made("eager", {GB_PART_RUN});
  step.run_by_modules([&](std::string name) { names.push_back(name); });
  EXPECT_THAT(names, ElementsAre("up", "", "down"));
  const auto fail = [&](const std::string&) { throw Error(ErrorCode::internal, "records are lost"); };
  EXPECT_THAT(test::failure([&] { step.run_by_modules(fail); }), HasSubstr("records are lost"));
  EXPECT_THAT(made_.calls, ElementsAre("done", "done"));
}

TEST_F(ForeignStepTest, AGraphOfNothingFails) {
  struct EmptyDevice final : test::FakeDevice {
    std::unique_ptr<Graph> borrow_graph(void*) override { return std::make_unique<test::FakeGraph>(log, 0); }
  } device;
  ForeignStep step = made("whole", {GB_PART_CAPTURED});
  ForeignExecutor executor(device, *stream_, step, false);
  EXPECT_THAT(test::failure([&] { executor.capture(); }), HasSubstr("the graph is empty"));
}

TEST_F(ForeignStepTest, StateIsPutBackWhereTheStepLendsCopies) {
  static std::int64_t at = 7;
  static const std::int64_t begin = 3;
  record_.state = [](void*, const gb_step_copy** copies, char*, std::size_t) {
    static const gb_step_copy copy{
        .to = &at, .from = &begin, .bytes = sizeof(at), .place = GB_ON_HOST, .reserved = 0};
    *copies = &copy;
    return std::int32_t{1};
  };
  ForeignStep step = made("eager", {GB_PART_RUN});
  ForeignExecutor executor(device_, *stream_, step, true);
  ASSERT_TRUE(executor.restores());
  executor.restore();
  EXPECT_EQ(begin, at);
  record_.state = [](void*, const gb_step_copy**, char*, std::size_t) { return std::int32_t{70000}; };
  EXPECT_THAT(refused("eager", {GB_PART_RUN}), HasSubstr("70000 copies: give at most 65536"));
}

TEST_F(ForeignStepTest, AModeOfItsOwnWarmsUpAsItRuns) {
  ForeignStep step = made("torch.cudagraphs", {GB_PART_RUN});
  ForeignExecutor executor(device_, *stream_, step, false);
  run_all(executor);
  EXPECT_THAT(made_.calls, ElementsAre("run 0", "run 0", "run 0", "run 0"));
}

TEST_F(ForeignStepTest, AStepThatLaunchesItsGraphLendsIt) {
  made_.lends = false;
  ForeignStep step = made("whole", {GB_PART_LAUNCHED});
  ForeignExecutor executor(device_, *stream_, step, false);
  EXPECT_THAT(
      test::failure([&] { executor.capture(); }),
      HasSubstr(
          "part 0 is GB_PART_LAUNCHED, but capture() lent no graph for it: lend a graph, or make the part "
          "GB_PART_RUN"));
}

TEST_F(ForeignStepTest, PartsThatAModeCannotHaveAreRefused) {
  EXPECT_THAT(refused("whole", {4}), HasSubstr("part 0 has kind 4: give a gb_step_part"));
  EXPECT_THAT(
      refused("whole", {GB_PART_RUN}),
      HasSubstr("mode whole has 1 part, 0 of them captured: give the mode one part, captured or launched"));
  EXPECT_THAT(refused("whole", {GB_PART_CAPTURED, GB_PART_CAPTURED}), HasSubstr("mode whole has 2 parts"));
  EXPECT_THAT(refused("eager", {}), HasSubstr("parts: the step has 0 parts: give 1 to "));
  EXPECT_THAT(refused("torch.replay", {GB_PART_CAPTURED}),
              HasSubstr("mode torch.replay has 1 part, 1 of them captured: only modes whole and piecewise "
                        "may have captured parts"));
  EXPECT_EQ("none", refused("piecewise", {GB_PART_CAPTURED, GB_PART_RUN, GB_PART_LAUNCHED}));
}

}  // namespace
}  // namespace graphbench::measure
