// Times single operations of a device under the best conditions. For each floor it takes samples until the
// floor's time or number of samples is used up. It discards the first samples, because early calls are
// slower.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graphs/base/clock.hpp"
#include "harness/measure/floor/device_call.hpp"
#include "harness/measure/floor/measure_floors.hpp"
#include "harness/model/statistics/quantiles.hpp"

namespace graphbench::measure {

class Meter {
 public:
  // Makes a stream. `mark`, if any, has the present call between samples and outlives this.
  Meter(Device& device, const FloorSettings& settings, CallMark* mark = nullptr);

  Stream& stream() { return *stream_; }
  void enter(DeviceCall call) noexcept { mark_->enter(call); }
  void wait() {
    enter(DeviceCall::synchronize);
    stream_->synchronize();
  }

  // A graph of empty kernels; with several branches, on as many streams.
  std::unique_ptr<Graph> record(std::int64_t nodes, std::int64_t branches = 1);
  std::unique_ptr<GraphExec> instantiated(Graph& graph);

  // Onto an idle stream, as in a step. Each sample is the mean of several launches, which are too few to fill
  // the stream's queue.
  model::Floor kernel_launch();
  // Onto an idle stream. `completed`: until the host sees that the graph has run.
  model::Floor graph_launch(Graph& graph, bool completed = false);
  // Each sample is the mean of several launches onto a stream that still runs a graph.
  model::Floor queued_kernel_launch();
  model::Floor queued_graph_launch();

  template <typename Sample>
  std::vector<double> samples_of(Sample&& sample) const {
    constexpr std::int64_t discarded = 5, samples_min = 5;
    std::vector<double> samples;
    const Stopwatch watch;
    for (std::int64_t i = 0; i < discarded; ++i) static_cast<void>(sample());
    while (static_cast<std::int64_t>(samples.size()) < settings_.samples_max &&
           (static_cast<std::int64_t>(samples.size()) < samples_min ||
            watch.seconds() < settings_.seconds_per_floor)) {
      samples.push_back(sample());
    }
    return samples;
  }

  static model::Floor floor_of(const std::vector<double>& samples) {
    return {model::median(samples), static_cast<std::int64_t>(samples.size())};
  }

 protected:
  Device& device_;
  const FloorSettings settings_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Kernel> empty_;

 private:
  template <typename Launch>
  model::Floor behind_others(DeviceCall call, const Launch& launch);

  CallMark own_mark_;
  CallMark* mark_;
  std::unique_ptr<GraphExec> ahead_;  // keeps the stream busy
};

}  // namespace graphbench::measure
