// The floors of the real host device: which there are, and that they are what they say. No times are
// held to anything but their order of making.
#include "harness/floor/measure_floors.hpp"

#include <gtest/gtest.h>

#include "graphs/backends/registry.hpp"

namespace graphbench::floors {
namespace {

FloorSettings quick() {
  return {.ladders = true, .seconds_per_floor = 0.005, .samples_max = 20, .nodes_max = 8};
}

TEST(MeasureFloors, TheHostDeviceHasEveryFigure) {
  const auto device = open_device("host");
  FloorMeter meter(*device, quick());
  const model::Floors floors = meter.measure();
  for (const auto& floor :
       {floors.clock_pair, floors.kernel_launch, floors.graph_launch, floors.queued_kernel_launch,
        floors.queued_graph_launch, floors.empty_graph_launch, floors.event_pair, floors.completion_spin,
        floors.completion_block, floors.queue_handoff}) {
    ASSERT_TRUE(floor.has_value());
    EXPECT_GE(floor->count, 5);
    EXPECT_LE(floor->count, 20);
    EXPECT_GE(floor->p50, 0);
  }
  // Waiting for a launch includes making it.
  EXPECT_GT(floors.completion_spin->p50, 0);
}

TEST(MeasureFloors, TheHostDeviceCannotFork) {
  const auto device = open_device("host");
  FloorMeter meter(*device, quick());
  const model::Floors floors = meter.measure();
  ASSERT_EQ(floors.ladders.size(), 1u);
  EXPECT_EQ(floors.ladders[0].shape, "straight");
  ASSERT_EQ(floors.ladders[0].points.size(), 4u);
  EXPECT_EQ(floors.ladders[0].points[3].nodes, 8);
}

TEST(MeasureFloors, ASweepTakesNoLadders) {
  const auto device = open_device("host");
  FloorMeter meter(*device, sweep_settings());
  EXPECT_TRUE(meter.measure().ladders.empty());
}

}  // namespace
}  // namespace graphbench::floors
