// Instantiating and replaying the host device's graphs.
#include "graphs/host/host_graph.hpp"

#include <thread>
#include <utility>

#include "graphs/host/activity_recorder.hpp"
#include "graphs/host/host_kernel.hpp"
#include "graphs/host/host_stream.hpp"

namespace graphbench::host {
namespace {

// A fill or a copy: its task is all it needs.
class BoundTask final : public BoundOp {
 public:
  explicit BoundTask(const Task& task) : task_(task) {}
  void run(StreamContext& context) override { task_.run(task_, context); }

 private:
  Task task_;
};

void run_nothing(Task&, StreamContext&) {}

}  // namespace

std::unique_ptr<GraphExec> HostGraph::instantiate() {
  std::vector<HostGraphExec::Node> nodes;
  nodes.reserve(tasks_.size());
  for (const Task& task : tasks_) {
    if (task.run == HostKernel::run) {
      auto& implementation = *static_cast<OpImplementation*>(task.object);
      nodes.push_back({implementation.bind(task.words.data()), implementation.name()});
    } else {
      nodes.push_back({std::make_unique<BoundTask>(task), "memory"});
    }
  }
  return std::make_unique<HostGraphExec>(std::move(nodes));
}

HostGraphExec::HostGraphExec(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}

HostGraphExec::~HostGraphExec() {
  while (in_flight_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void HostGraphExec::upload(Stream& stream) {
  static_cast<HostStream&>(stream).submit_uncaptured("upload graph", run_nothing, nullptr, nullptr, 0);
}

void HostGraphExec::launch(Stream& stream) {
  in_flight_.fetch_add(1, std::memory_order_relaxed);
  try {
    static_cast<HostStream&>(stream).submit_uncaptured("launch graph", run, this, nullptr, 0);
  } catch (...) {
    in_flight_.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
}

void HostGraphExec::run(Task& task, StreamContext& context) {
  auto& exec = *static_cast<HostGraphExec*>(task.object);
  // The count is the last thing touched: with it the exec may be destroyed.
  struct Landing {
    std::atomic<int>& in_flight;
    ~Landing() { in_flight.fetch_sub(1, std::memory_order_release); }
  } const landing{exec.in_flight_};
  if (context.recorder == nullptr) [[likely]] {
    for (const Node& node : exec.nodes_) node.op->run(context);
    return;
  }
  for (const Node& node : exec.nodes_) {
    const RecordedOp recorded(context.recorder, node.name);
    node.op->run(context);
  }
}

}  // namespace graphbench::host
