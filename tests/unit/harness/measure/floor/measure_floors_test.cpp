// The floors of the real host device: which there are, and that they are what they say. No times are
// held to anything but their order of making.
#include "harness/measure/floor/measure_floors.hpp"

#include <gtest/gtest.h>

#include "graphs/backends/registry.hpp"
#include "tests/support/fake_device.hpp"

namespace graphbench::floors {
namespace {

FloorSettings quick() {
  return {.shapes = true, .seconds_per_floor = 0.005, .samples_max = 20, .nodes_max = 8};
}

TEST(MeasureFloors, TheHostDeviceHasEveryFigure) {
  const auto device = open_device("host");
  FloorMeter meter(*device, {.shapes = true, .seconds_per_floor = 0.005, .samples_max = 20, .nodes_max = 16});
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
  ASSERT_EQ(floors.shapes.size(), 1u);
  EXPECT_EQ(floors.shapes[0].shape, "straight");
  ASSERT_EQ(floors.shapes[0].points.size(), 4u);
  EXPECT_EQ(floors.shapes[0].points[3].nodes, 8);
}

TEST(MeasureFloors, TheHostDeviceHasNoMemoryOfGraphs) {
  const auto device = open_device("host");
  FloorMeter meter(*device, {.shapes = true, .seconds_per_floor = 0.001, .samples_max = 5, .nodes_max = 16});
  EXPECT_FALSE(meter.measure().exec_memory.has_value());
}

// A driver that takes 1 KB a node and 8 KB a graph, and keeps them.
class WeighedDevice final : public test::FakeDevice {
 public:
  std::unique_ptr<Kernel> make_empty_kernel() override { return std::make_unique<Nothing>(log); }
  std::optional<MemoryUse> memory_use() override {
    return MemoryUse{static_cast<std::size_t>(log.instantiations * 8192 + log.nodes_instantiated * 1024),
                     true};
  }

 private:
  class Nothing final : public Kernel {
   public:
    explicit Nothing(test::CallLog& log) : log_(log) {}
    void launch(Stream&, void* const*) override { log_.launches.emplace_back("nothing"); }

   private:
    test::CallLog& log_;
  };
};

TEST(MeasureFloors, TheMemoryOfGraphsIsALineOverTheirNodes) {
  WeighedDevice device;
  FloorMeter meter(device, {.shapes = true, .seconds_per_floor = 0.001, .samples_max = 5, .nodes_max = 64});
  const model::ExecMemoryFloor memory = meter.measure().exec_memory.value();
  EXPECT_DOUBLE_EQ(memory.bytes_per_node, 1024);
  EXPECT_DOUBLE_EQ(memory.bytes_at_zero, 8192);
  ASSERT_EQ(memory.points.size(), 2u);
  EXPECT_EQ(memory.points[1].nodes, 64);
  EXPECT_DOUBLE_EQ(memory.points[1].bytes, 8192 + 64 * 1024);
}

TEST(MeasureFloors, ASweepTakesNoNodeCounts) {
  const auto device = open_device("host");
  FloorMeter meter(*device, sweep_settings());
  EXPECT_TRUE(meter.measure().shapes.empty());
}

}  // namespace
}  // namespace graphbench::floors
