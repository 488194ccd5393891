// Measures the floors of a device, and the lines through those of graphs by their nodes.
#include "harness/measure/floor/measure_floors.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/measure/floor/meter.hpp"
#include "harness/measure/floor/slope.hpp"
#include "harness/measure/machine/exec_memory.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::measure {
namespace {

constexpr std::int64_t branches_max = 4;
// For each point of the exec-memory floor, graphs are instantiated until the driver has taken this many
// quanta (units in which it takes memory). The resolution is then 1/40 = 2.5 %.
constexpr std::int64_t exec_quanta = 40;

class FloorMeter : public Meter {
 public:
  using Meter::Meter;

  model::Floors measure() {
    model::Floors floors{};
    floors.clock_pair = clock_pair();
    floors.empty_graph_launch = graph_launch(*record(0, 1));
    event_pair(floors);
    floors.kernel_launch = kernel_launch();
    floors.graph_launch = graph_launch(*record(1, 1));
    floors.queued_kernel_launch = queued_kernel_launch();
    floors.queued_graph_launch = queued_graph_launch();
    completion(floors);
    if (device_.info().kind == "host") floors.queue_handoff = queue_handoff();
    if (settings_.shapes) measure_shapes(floors);
    if (settings_.shapes) {
      unless_unsupported([&] { floors.if_taken_seconds = branch(2, true); });
      unless_unsupported([&] { floors.if_not_taken_seconds = branch(2, false); });
      unless_unsupported([&] { floors.switch_arm_seconds = branch(8, true); });
    }
    if (settings_.shapes) floors.exec_memory = exec_memory();  // last, because the driver keeps memory
    return floors;
  }

 private:
  // Drivers of CUDA 12 lack some kinds of nodes: the floor stays absent, and a note says what it needs.
  template <typename Measure>
  static void unless_unsupported(const Measure& measure) {
    try {
      measure();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      complain("note: %s", error.what());
    }
  }

  model::Floor clock_pair() const {
    return floor_of(samples_of([] {
      const auto start = SteadyClock::now();
      const auto end = SteadyClock::now();
      return std::chrono::duration<double>(end - start).count();
    }));
  }

  template <typename Enqueue>
  std::vector<double> event_times(Enqueue&& enqueue) {
    const std::unique_ptr<Event> begin = device_.make_event();
    const std::unique_ptr<Event> end = device_.make_event();
    return samples_of([&] {
      begin->record(*stream_);
      enqueue();
      end->record(*stream_);
      stream_->synchronize();
      return end->seconds_since(*begin);
    });
  }

  void event_pair(model::Floors& floors) {
    const std::vector<double> times = event_times([] {});
    floors.event_pair = floor_of(times);
    const double step = smallest_step(times);
    if (step > 0) floors.event_resolution = step;
  }

  template <typename Wait>
  model::Floor completion_of(Wait&& wait) {
    return floor_of(samples_of([&] {
      const Stopwatch watch;
      empty_->launch(*stream_, nullptr);
      wait();
      return watch.seconds();
    }));
  }

  void completion(model::Floors& floors) {
    floors.completion_spin = completion_of([&] { stream_->synchronize(); });
    floors.completion_block = completion_of([&] { stream_->synchronize_blocking(); });
  }

  // Measures the time from a call that launches a kernel to the kernel's start, which the profiler records.
  // Absent if the device has no profiler.
  std::optional<model::Floor> queue_handoff() {
    const ProfilerResult records = device_.make_profiler();
    if (records.profiler == nullptr) return std::nullopt;
    const auto handoff = [&] {
      static_cast<void>(records.profiler->collect());
      const double start = steady_seconds();
      empty_->launch(*stream_, nullptr);
      stream_->synchronize();
      const std::vector<Activity> activities = records.profiler->collect();
      if (activities.size() != 1) {
        throw Error(ErrorCode::internal, "measure the queue's hand-off: the profiler has " +
                                             std::to_string(activities.size()) + " records of one launch");
      }
      return activities.front().start_seconds - start;
    };
    return floor_of(samples_of(handoff));
  }

  // Times a conditional node: the last arm runs if `taken`, else the first. If there are only two arms, the
  // first is empty.
  model::Floor branch(std::size_t arms, bool taken) {
    const Buffer selector(device_, sizeof(std::int32_t));
    const double value = taken ? static_cast<double>(arms - 1) : 0;
    device_.fill(*stream_, selector.data(), ir::DType::i32, 1, {ir::Init::Kind::constant, value, value}, 0);
    std::vector<Stream::Arm> ways(arms, [&](Stream& on) { empty_->launch(on, nullptr); });
    if (arms == 2) ways.front() = {};
    return graph_launch(*stream_->capture([&] { stream_->record_branch(selector.data(), ways); }), true);
  }

  model::FloorPoint point_of(std::int64_t nodes, std::int64_t branches) {
    const std::unique_ptr<Graph> graph = record(nodes, branches);
    model::FloorPoint point{};
    point.nodes = nodes;
    point.instantiate = floor_of(samples_of([&] {
      const Stopwatch watch;
      const std::unique_ptr<GraphExec> exec = graph->instantiate();
      return watch.seconds();
    }));
    point.submit = graph_launch(*graph);
    const std::unique_ptr<GraphExec> exec = graph->instantiate();
    point.device = floor_of(event_times([&] { exec->launch(*stream_); }));
    return point;
  }

  model::FloorShape shape_of(std::string name, std::int64_t branches) {
    model::FloorShape shape{};
    shape.shape = std::move(name);
    shape.streams = branches;
    std::vector<double> nodes;
    std::vector<double> submit;
    std::vector<double> device;
    std::vector<double> instantiate;
    for (std::int64_t count = branches > 1 ? 2 : 1; count <= settings_.nodes_max; count *= 2) {
      const model::FloorPoint& point = shape.points.emplace_back(point_of(count, std::min(branches, count)));
      nodes.push_back(static_cast<double>(count));
      submit.push_back(point.submit.p50);
      device.push_back(point.device.p50);
      instantiate.push_back(point.instantiate.p50);
    }
    shape.submit_seconds_per_node = line_of(nodes, submit).slope;
    shape.device_seconds_per_node = line_of(nodes, device).slope;
    shape.instantiate_seconds_per_node = line_of(nodes, instantiate).slope;
    return shape;
  }

  void measure_shapes(model::Floors& floors) {
    floors.shapes.push_back(shape_of("straight", 1));
    if (device_.can_fork_captures()) floors.shapes.push_back(shape_of("forked", branches_max));
  }

  std::optional<model::ExecMemoryFloor> exec_memory() {
    ExecMemory memory(device_, *stream_, exec_quanta);
    std::vector<model::ExecMemoryPoint> points;
    for (std::int64_t nodes = 16; nodes <= settings_.nodes_max; nodes *= 4) {
      const std::unique_ptr<Graph> graph = record(nodes, 1);
      const std::optional<ExecCost> cost = memory.costs_of({{graph.get()}}).front();
      if (!cost) return std::nullopt;
      points.push_back({nodes, cost->bytes, 0});
    }
    return with_line(std::move(points));
  }
};

}  // namespace

FloorSettings sweep_settings() {
  return {.shapes = false, .seconds_per_floor = 0.02, .samples_max = 500, .nodes_max = 1};
}

model::Floors measure_floors(Device& device, const FloorSettings& settings,
                             const std::function<void()>& stream_made) {
  FloorMeter meter(device, settings);
  stream_made();
  return meter.measure();
}

}  // namespace graphbench::measure
