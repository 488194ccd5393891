// Tests what a rig reports about ops' paths; that axes reach executors; the evaluation of a model under
// training, with the parameters that steps have left; and the widening of number formats.
#include "harness/measure/worker/task_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "harness/measure/worker/evaluate.hpp"
#include "harness/measure/worker/to_float.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/fake_executor.hpp"
#include "tests/support/sample_plan.hpp"
#include "tests/support/small_programs.hpp"
#include "tests/unit/harness/measure/worker/task_run_fixture.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::measure {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PathKernel final : public Kernel {
 public:
  explicit PathKernel(KernelPath path) : path_(std::move(path)) {}
  void launch(Stream&, void* const*) override {}
  KernelPath path() const override { return path_; }

 private:
  KernelPath path_;
};

// In a graph mode, the executor's own items are pieces, and its eager executor has the kernels.
class ChoosingExecutor final : public test::FakeExecutor {
 public:
  ChoosingExecutor(std::vector<KernelPath> paths, Executor* eager) : eager_(eager) {
    for (KernelPath& path : paths) kernels_.push_back(std::make_unique<PathKernel>(std::move(path)));
  }
  Executor& eager() override { return eager_ != nullptr ? *eager_ : *this; }
  std::vector<execution::StepItem> items() const override {
    std::vector<execution::StepItem> items;
    for (const auto& kernel : kernels_) items.push_back({nullptr, kernel.get(), nullptr});
    return items;
  }

 private:
  Executor* eager_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
};

TEST(Paths, AreCountedWayByWayWhereThereWasAChoice) {
  ChoosingExecutor eager(
      {{"", ""}, {"conv2d:cudnn", ""}, {"conv2d:im2col", "no plan"}, {"conv2d:cudnn", ""}, {"", ""}},
      nullptr);
  ChoosingExecutor whole({}, &eager);
  EXPECT_THAT(paths_of(whole),
              ElementsAre(model::OpPath{.path = "conv2d:cudnn", .fallback = "", .ops = 2},
                          model::OpPath{.path = "conv2d:im2col", .fallback = "no plan", .ops = 1}));
}

TEST(TaskRig, RewritesGraphsWhereTheTaskSaysSo) {
  test::FakeDevice device;
  device.log.memset_nodes = 1;
  ir::OpCatalog catalog;
  const ir::Program program = test::make_chain(catalog, 3);
  for (const std::string rewrite : {"none", "memset"}) {
    model::WorkerTask task = test::sample_task("piecewise", {1});
    if (rewrite != "none") task.more_axes["graph-rewrite"] = rewrite;
    TaskRig rig(task, device, program);
    rig.allocate(1);
    model::Setup setup{};
    const auto executor = rig.prepare(1, setup, [](std::string_view) {});
    EXPECT_EQ(executor->counts().graphs.rewritten_nodes, rewrite == "none" ? 0 : 3);
  }
}

TEST(TaskRig, ChecksTenStepsOfTraining) {
  abi::WorkloadRegistry registry;
  workloads::add_builtin(registry);
  const std::unique_ptr<Device> device = open_device("host");
  model::WorkerTask task = test::sample_task("whole", {2});
  task.pass = "training";
  task.more_axes = {{"optimizer", "adamw"}, {"io", "copy_in_out"}};
  const ir::Program program = build_program(registry, task);
  TaskRig rig(task, *device, program);
  rig.allocate(2);
  model::Setup setup{};
  const auto executor = rig.prepare(2, setup, [](std::string_view) {});
  std::optional<model::Check> check;
  rig.check(*executor, 2, nullptr, check);
  EXPECT_TRUE(check->identical);
  const auto count = std::ranges::find(program.values(), "optimizer.count", &ir::Value::name);
  ASSERT_NE(count, program.values().end());
  std::int32_t steps = 0;
  const auto id = static_cast<ir::ValueId>(count - program.values().begin());
  rig.stream().copy_to_host(&steps, rig.buffers().address(id), sizeof(steps));
  EXPECT_EQ(steps, 10);
}

TEST(TaskRig, CapturesOnTheDevicesOwnStreamWhereTheTaskSaysSo) {
  struct Device : test::FakeDevice {
    std::unique_ptr<Stream> default_stream() override {
      auto stream = make_stream();
      own = stream.get();
      return stream;
    }
    Stream* own = nullptr;
  };
  const ir::OpCatalog catalog;
  const ir::Program program = test::make_chain(catalog, 1);
  for (const std::string whose : {"own", "default"}) {
    Device device;
    model::WorkerTask task = test::sample_task("whole", {1});
    task.settings.caller.capture_stream = whose;
    TaskRig rig(task, device, program);
    EXPECT_EQ(&rig.stream() == device.own, whose == "default");
  }
}

TEST(Paths, OfOpsWithoutAChoiceAreNotTold) {
  ChoosingExecutor eager({{"", ""}}, nullptr);
  EXPECT_THAT(paths_of(eager), IsEmpty());
}

class EvaluateTest : public TaskRunTest {
 protected:
  EvaluateTest() {
    task_.pass = "training";
    task_.more_axes = {{"optimizer", "sgd"}, {"micro-batches", "2"}};
    task_.settings.instruments.evaluate = true;
  }
};

TEST_F(EvaluateTest, ReadsTheParametersThatTrainingHasLeft) {
  const std::unique_ptr<Device> device = open_device("host");
  const ir::Program program = build_program(registry_, task_);
  const ir::Program forward = build_forward_program(registry_, task_);
  TaskRig rig(task_, *device, program);
  rig.allocate(2);
  model::Setup setup{};
  const auto executor = rig.prepare(2, setup, [](std::string_view) {});
  const auto outputs = [&] { return EvaluationStep(task_, rig, forward, 2).outputs(false); };
  const auto before = outputs();
  EXPECT_EQ(outputs(), before);
  executor->submit();
  const auto after = outputs();
  EXPECT_NE(after, before);
  rig.buffers().fill_state(rig.stream(), seed_for(task_, SeedUse::state));
  EXPECT_EQ(EvaluationStep(task_, rig, forward, 2).outputs(true), outputs());
}

TEST_F(EvaluateTest, TakesTheForwardProgram) {
  task_.batches = {2};
  for (const char* mode : {"eager", "whole", "piecewise"}) {
    task_.mode = mode;
    events_ = Recorder{};
    const ir::Program program = build_program(registry_, task_);
    const ir::Program forward = build_forward_program(registry_, task_);
    run(program, &forward);
    const model::CellResult& cell = events_.cells.at(2);
    ASSERT_EQ(cell.status, model::CellStatus::ok) << cell.reason->message;
    const model::Evaluation& evaluation = cell.training->evaluation.value();
    EXPECT_EQ(evaluation.ops,
              std::ranges::count_if(forward.ops(), [](const ir::Op& op) { return !op.traits.marker; }));
    EXPECT_LT(evaluation.ops, cell.training->program.ops.forward) << "a part's, and the loss";
    EXPECT_EQ(evaluation.pieces, mode == std::string("whole") ? 1 : mode == std::string("eager") ? 0 : 8);
    EXPECT_TRUE(evaluation.identical);
    EXPECT_GT(evaluation.latency_seconds->p50, 0);
  }
}

template <typename T>
std::vector<float> widened(ir::DType dtype, const std::vector<T>& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(T));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return to_float(dtype, bytes);
}

TEST(ToFloat, WidensHalf) {
  const auto values =
      widened<std::uint16_t>(ir::DType::fp16, {0x3C00, 0xC000, 0x0001, 0x03FF, 0x7BFF, 0x8000});
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.0f);
  EXPECT_EQ(values[2], std::ldexp(1.0f, -24));
  EXPECT_EQ(values[3], std::ldexp(1023.0f, -24));
  EXPECT_EQ(values[4], 65504.0f);
  EXPECT_TRUE(std::signbit(values[5]));
}

TEST(Difference, IsOfFiniteElementsWhereTheOthersAreTheSame) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  const auto bytes_of = [](const std::vector<float>& values) {
    const auto* const begin = reinterpret_cast<const std::byte*>(values.data());
    return std::vector<std::byte>(begin, begin + values.size() * sizeof(float));
  };
  const auto masked = bytes_of({3, -infinite, 4, std::nanf("1")});
  const Difference near =
      difference_of(ir::DType::fp32, masked, bytes_of({3, -infinite, 4.5, std::nanf("2")}));
  EXPECT_EQ(near.largest, 0.5);
  EXPECT_DOUBLE_EQ(near.relative, 0.1);
  for (const float other : {0.0F, infinite, std::nanf("")}) {
    const Difference far = difference_of(ir::DType::fp32, masked, bytes_of({3, other, 4, std::nanf("1")}));
    EXPECT_EQ(far.relative, std::numeric_limits<double>::infinity()) << other;
  }
}

TEST(ToFloat, KeepsNansAndInfinitiesOfHalf) {
  const auto values = widened<std::uint16_t>(ir::DType::fp16, {0x7C00, 0xFC00, 0xFFFF});
  EXPECT_EQ(values[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(values[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST(ToFloat, WidensBfloat16) {
  const auto values = widened<std::uint16_t>(ir::DType::bf16, {0x3F80, 0xC049, 0xFFFF});
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -3.140625f);
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST(ToFloat, CopiesFp32AndConvertsI32) {
  EXPECT_EQ(widened<float>(ir::DType::fp32, {0.5f})[0], 0.5f);
  EXPECT_EQ(widened<std::int32_t>(ir::DType::i32, {-7})[0], -7.0f);
}

template <typename T>
std::optional<std::size_t> found(ir::DType dtype, const std::vector<T>& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(T));
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return first_not_finite(dtype, bytes);
}

TEST(NotFinite, TheLargestOfAFormatIsFiniteAndWhatFollowsIsNot) {
  EXPECT_FALSE(found<std::uint16_t>(ir::DType::fp16, {0x0000, 0x7BFF, 0xFBFF, 0x8000}));
  EXPECT_EQ(found<std::uint16_t>(ir::DType::fp16, {0x3C00, 0x7C00}), 1u);
  EXPECT_EQ(found<std::uint16_t>(ir::DType::fp16, {0xFC01}), 0u);
  EXPECT_FALSE(found<std::uint16_t>(ir::DType::bf16, {0x7F7F, 0xFF7F, 0x7C00}));
  EXPECT_EQ(found<std::uint16_t>(ir::DType::bf16, {0x3F80, 0x3F80, 0x7F80}), 2u);
  EXPECT_EQ(found<std::uint16_t>(ir::DType::bf16, {0xFFFF}), 0u);
  EXPECT_FALSE(found<std::uint32_t>(ir::DType::fp32, {0x7F7FFFFFu, 0xFF7FFFFFu}));
  EXPECT_EQ(found<std::uint32_t>(ir::DType::fp32, {0xFF800000u}), 0u);
  EXPECT_EQ(found<std::uint32_t>(ir::DType::fp32, {0u, 0x7FC00001u}), 1u);
  EXPECT_FALSE(found<std::int32_t>(ir::DType::i32, {-1, 0x7F800000}));
  EXPECT_FALSE(found<std::uint16_t>(ir::DType::bf16, {}));
}

TEST(NotFinite, TheFirstIsFoundWhereverItLies) {
  for (const std::size_t at : {0u, 1u, 4095u, 4096u, 4097u, 9999u}) {
    std::vector<std::uint16_t> words(10000, 0x3F80);
    words[at] = 0x7F80;
    words.back() = 0x7FC0;
    EXPECT_EQ(found(ir::DType::bf16, words), at);
  }
}

}  // namespace
}  // namespace graphbench::measure
