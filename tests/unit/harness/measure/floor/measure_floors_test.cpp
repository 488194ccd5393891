// Tests the host device's floors and the lines through their points. No assertion depends on a duration.
#include "harness/measure/floor/measure_floors.hpp"

#include <gtest/gtest.h>

#include "graphs/backends/registry.hpp"
#include "graphs/base/error.hpp"
#include "harness/measure/floor/device_call.hpp"
#include "harness/measure/floor/floor_process.hpp"
#include "harness/measure/floor/slope.hpp"
#include "harness/model/codec/messages.hpp"
#include "tests/support/fake_device.hpp"

namespace graphbench::measure {
namespace {

FloorSettings quick() {
  return {.shapes = true, .seconds_per_floor = 0.005, .samples_max = 20, .nodes_max = 8};
}

TEST(MeasureFloors, TheHostDeviceHasEveryFigure) {
  const auto device = open_device("host");
  const model::Floors floors = measure_floors(
      *device, {.shapes = true, .seconds_per_floor = 0.005, .samples_max = 20, .nodes_max = 16});
  for (const auto& floor :
       {floors.clock_pair, floors.kernel_launch, floors.graph_launch, floors.queued_kernel_launch,
        floors.queued_graph_launch, floors.empty_graph_launch, floors.event_pair, floors.completion_spin,
        floors.completion_block, floors.queue_handoff, floors.if_taken_seconds, floors.if_not_taken_seconds,
        floors.switch_arm_seconds}) {
    ASSERT_TRUE(floor.has_value());
    EXPECT_GE(floor->count, 5);
    EXPECT_LE(floor->count, 20);
    EXPECT_GE(floor->p50, 0);
  }
  // The time of waiting for a launch includes the launch itself.
  EXPECT_GT(floors.completion_spin->p50, 0);
}

TEST(MeasureFloors, TheHostDeviceCannotFork) {
  const auto device = open_device("host");
  const model::Floors floors = measure_floors(*device, quick());
  ASSERT_EQ(floors.shapes.size(), 1u);
  EXPECT_EQ(floors.shapes[0].shape, "straight");
  ASSERT_EQ(floors.shapes[0].points.size(), 4u);
  EXPECT_EQ(floors.shapes[0].points[3].nodes, 8);
}

TEST(MeasureFloors, TheHostDeviceHasNoMemoryOfGraphs) {
  const auto device = open_device("host");
  const model::Floors floors = measure_floors(
      *device, {.shapes = true, .seconds_per_floor = 0.001, .samples_max = 5, .nodes_max = 16});
  EXPECT_FALSE(floors.exec_memory.has_value());
}

// A device whose driver reserves 1 KiB per node and 8 KiB per graph, and never releases them.
class GrowingDevice final : public test::FakeDevice {
 public:
  std::optional<MemoryUse> memory_use() override {
    return MemoryUse{static_cast<std::size_t>(log.instantiations * 8192 + log.nodes_instantiated * 1024),
                     true};
  }
};

TEST(MeasureFloors, TheMemoryOfGraphsIsALineOverTheirNodes) {
  GrowingDevice device;
  const model::Floors floors =
      measure_floors(device, {.shapes = true, .seconds_per_floor = 0.001, .samples_max = 5, .nodes_max = 64});
  const model::ExecMemoryFloor& memory = floors.exec_memory.value();
  EXPECT_DOUBLE_EQ(memory.bytes_per_node, 1024);
  EXPECT_DOUBLE_EQ(memory.bytes_at_zero, 8192);
  ASSERT_EQ(memory.points.size(), 2u);
  EXPECT_EQ(memory.points[1].nodes, 64);
  EXPECT_DOUBLE_EQ(memory.points[1].bytes, 8192 + 64 * 1024);
}

TEST(MeasureFloors, ASweepTakesNoNodeCounts) {
  const auto device = open_device("host");
  EXPECT_TRUE(measure_floors(*device, sweep_settings()).shapes.empty());
}

TEST(CallMark, HasTheLastCallAndTellsTwoOfAKindApart) {
  CallMark mark;
  mark.enter(DeviceCall::launch_graph);
  const CallMark::Reading first = mark.read();
  EXPECT_EQ(first, mark.read());
  mark.enter(DeviceCall::launch_graph);
  EXPECT_EQ(mark.read().call, DeviceCall::launch_graph);
  EXPECT_NE(first, mark.read());
  EXPECT_EQ(name_of(mark.read().call, true), "cudaGraphLaunch");
  EXPECT_EQ(name_of(DeviceCall::exec_memory, false), "measuring the memory of execs");
}

TEST(Line, HasSlopeAndOffset) {
  EXPECT_DOUBLE_EQ(line_of({1, 2, 4, 8}, {7, 9, 13, 21}).slope, 2.0);
  EXPECT_DOUBLE_EQ(line_of({1, 2, 4, 8}, {7, 9, 13, 21}).at_zero, 5.0);
}

TEST(Line, MinimisesSquaresOverScatterAndIsLevelForOnePoint) {
  // By hand: the means are 2 and 3, the sum of products of deviations is 3, of squared deviations 2.
  EXPECT_DOUBLE_EQ(line_of({1, 2, 3}, {2, 2, 5}).slope, 1.5);
  EXPECT_EQ(line_of({4}, {9}).slope, 0.0);
  EXPECT_EQ(line_of({4}, {9}).at_zero, 9.0);
}

TEST(WithLine, SaysHowFarEachPointLiesBesideIt) {
  const model::ExecMemoryFloor floor = with_line({{1, 2000, 0}, {2, 2000, 0}, {3, 5000, 0}});
  EXPECT_DOUBLE_EQ(floor.bytes_per_node, 1500);
  EXPECT_DOUBLE_EQ(floor.bytes_at_zero, 0);
  EXPECT_DOUBLE_EQ(floor.points[0].residual_bytes, 500);
  EXPECT_DOUBLE_EQ(floor.points[1].residual_bytes, -1000);
  EXPECT_DOUBLE_EQ(floor.points[2].residual_bytes, 500);
}

TEST(SmallestStep, IgnoresEqualValuesAndRounding) {
  EXPECT_DOUBLE_EQ(smallest_step({3e-6, 1e-6, 1e-6, 1e-6 + 1e-12, 1.5e-6}), 1.5e-6 - (1e-6 + 1e-12));
  EXPECT_EQ(smallest_step({2e-6, 2e-6}), 0.0);
}

TEST(FloorProtocol, ARequestSurvivesTheWay) {
  FloorRequest request{"cuda:1", true, {}};
  request.instruments.cpu = 3;
  const FloorRequest read = model::read_data<FloorRequest>(model::write_data(request), "read");
  EXPECT_EQ(read.device, "cuda:1");
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.instruments.cpu, 3);
}

TEST(FloorProtocol, AnAnswerSurvivesTheWayAbsencesIncluded) {
  FloorAnswer answer;
  answer.facts.name = "a device";
  answer.floors.kernel_launch = model::Floor{.p50 = 2.5e-6, .count = 40};
  model::FloorShape& shape = answer.floors.shapes.emplace_back();
  shape.shape = "forked";
  shape.points.push_back({2, {1e-6, 5}, {2e-6, 6}, {3e-6, 7}});
  const FloorAnswer read = model::read_data<FloorAnswer>(model::write_data(answer), "read");
  EXPECT_EQ(read.facts.name, "a device");
  EXPECT_DOUBLE_EQ(read.floors.kernel_launch->p50, 2.5e-6);
  EXPECT_FALSE(read.floors.clock_pair.has_value());
  ASSERT_EQ(read.floors.shapes.size(), 1u);
  EXPECT_EQ(read.floors.shapes[0].points[0].instantiate.count, 7);
}

TEST(FloorProtocol, AnotherLineIsRefused) {
  EXPECT_THROW(model::read_data<FloorAnswer>("{}", "read"), Error);
  EXPECT_THROW(model::read_data<FloorAnswer>("not json", "read"), Error);
}

}  // namespace
}  // namespace graphbench::measure
