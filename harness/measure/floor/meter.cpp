// Times launches, and names the device's calls.
#include "harness/measure/floor/meter.hpp"

#include <iterator>
#include <utility>

namespace graphbench::measure {
namespace {

constexpr std::size_t launches_a_sample = 32;

// The number of empty kernels in the graph that keeps a stream busy while launches are timed. Each kernel
// takes 0.5 us on a GPU and 1 ns on the host.
constexpr std::int64_t nodes_ahead_gpu = 256;
constexpr std::int64_t nodes_ahead_host = 4096;

struct CallName {
  std::string_view on_cuda;
  std::string_view in_words;
};
// In the order of DeviceCall.
constexpr CallName call_names[] = {{"cuInit", "opening the device"},
                                   {"cudaLaunchKernel", "kernel launch"},
                                   {"cudaGraphLaunch", "graph launch"},
                                   {"cudaStreamSynchronize", "waiting for the stream"},
                                   {"cudaStreamBeginCapture", "capture"},
                                   {"cudaGraphInstantiate", "instantiate"},
                                   {"cudaGraphExecUpdate", "update"},
                                   {"cudaGraphUpload", "upload"},
                                   {"cudaMemcpyAsync", "copy"},
                                   {"measuring the memory of execs", "measuring the memory of execs"}};
static_assert(std::size(call_names) == static_cast<std::size_t>(DeviceCall::exec_memory) + 1);

}  // namespace

std::string_view name_of(DeviceCall call, bool on_cuda) {
  const CallName& name = call_names[static_cast<std::size_t>(call)];
  return on_cuda ? name.on_cuda : name.in_words;
}

Meter::Meter(Device& device, const FloorSettings& settings, CallMark* mark)
    : device_(device),
      settings_(settings),
      stream_(device.make_stream()),
      empty_(device.make_empty_kernel()),
      mark_(mark == nullptr ? &own_mark_ : mark) {}

std::unique_ptr<Graph> Meter::record(std::int64_t nodes, std::int64_t branches) {
  enter(DeviceCall::capture);
  std::vector<std::unique_ptr<Stream>> others;
  std::vector<std::unique_ptr<Event>> joins;
  for (std::int64_t i = 1; i < branches; ++i) {
    others.push_back(device_.make_stream());
    joins.push_back(device_.make_event());
  }
  const std::unique_ptr<Event> fork = branches > 1 ? device_.make_event() : nullptr;
  return stream_->capture([&] {
    if (fork) fork->record(*stream_);
    for (const auto& other : others) other->wait(*fork);
    for (std::int64_t i = 0; i < nodes; ++i) {
      const std::int64_t branch = i % branches;
      empty_->launch(branch == 0 ? *stream_ : *others[static_cast<std::size_t>(branch - 1)], nullptr);
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
      joins[i]->record(*others[i]);
      stream_->wait(*joins[i]);
    }
  });
}

std::unique_ptr<GraphExec> Meter::instantiated(Graph& graph) {
  enter(DeviceCall::instantiate);
  std::unique_ptr<GraphExec> exec = graph.instantiate();
  enter(DeviceCall::upload);
  exec->upload(*stream_);
  return exec;
}

model::Floor Meter::kernel_launch() {
  return floor_of(samples_of([&] {
    enter(DeviceCall::launch_kernel);
    const Stopwatch watch;
    for (std::size_t i = 0; i < launches_a_sample; ++i) empty_->launch(*stream_, nullptr);
    const double seconds = watch.seconds() / static_cast<double>(launches_a_sample);
    wait();
    return seconds;
  }));
}

model::Floor Meter::graph_launch(Graph& graph, bool completed) {
  const std::unique_ptr<GraphExec> exec = instantiated(graph);
  wait();
  return floor_of(samples_of([&] {
    enter(DeviceCall::launch_graph);
    const Stopwatch watch;
    exec->launch(*stream_);
    const double launched = watch.seconds();
    wait();
    return completed ? watch.seconds() : launched;
  }));
}

template <typename Launch>
model::Floor Meter::behind_others(DeviceCall call, const Launch& launch) {
  if (!ahead_)
    ahead_ = instantiated(*record(device_.info().kind == "host" ? nodes_ahead_host : nodes_ahead_gpu));
  return floor_of(samples_of([&] {
    enter(DeviceCall::launch_graph);
    ahead_->launch(*stream_);
    enter(call);
    const Stopwatch watch;
    for (std::size_t i = 0; i < launches_a_sample; ++i) launch(i);
    const double seconds = watch.seconds() / static_cast<double>(launches_a_sample);
    wait();
    return seconds;
  }));
}

model::Floor Meter::queued_kernel_launch() {
  return behind_others(DeviceCall::launch_kernel, [&](std::size_t) { empty_->launch(*stream_, nullptr); });
}

model::Floor Meter::queued_graph_launch() {
  // A launch of an exec that is still running may cost more. So each launch has its own exec, like each
  // piece of a step.
  std::vector<std::unique_ptr<GraphExec>> pieces;
  const std::unique_ptr<Graph> piece = record(1);
  for (std::size_t i = 0; i < launches_a_sample; ++i) pieces.push_back(instantiated(*piece));
  wait();
  return behind_others(DeviceCall::launch_graph, [&](std::size_t i) { pieces[i]->launch(*stream_); });
}

}  // namespace graphbench::measure
