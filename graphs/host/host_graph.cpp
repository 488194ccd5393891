// Instantiating and replaying the host device's graphs.
#include "graphs/host/host_graph.hpp"

#include <algorithm>
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

// Ops are the same where one implementation runs them; fills and copies where they are both or neither.
bool same_kind(const Task& a, const Task& b) {
  return a.run == b.run && (a.run != HostKernel::run || a.object == b.object);
}

std::string name_of(const Task& task) {
  return task.run == HostKernel::run ? static_cast<OpImplementation*>(task.object)->name() : "memory";
}

std::size_t position_of(GraphNode node) {
  return reinterpret_cast<std::uintptr_t>(node) - 1;
}

}  // namespace

std::vector<GraphNode> HostGraph::nodes() const {
  std::vector<GraphNode> nodes(tasks_.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = reinterpret_cast<GraphNode>(i + 1);
  return nodes;
}

// Each waits for the one before it.
std::vector<facts::DescribedNode> HostGraph::describe() const {
  std::vector<facts::DescribedNode> nodes;
  for (const Task& task : tasks_) {
    const bool is_op = task.run == HostKernel::run;
    facts::DescribedNode& node = nodes.emplace_back();
    node.type = is_op ? "kernel" : HostStream::is_copy(task) ? "memcpy" : "memset";
    if (is_op) node.function = name_of(task);
    if (!is_op) node.facts["bytes"] = std::to_string(HostStream::bytes_of(task));
    if (nodes.size() > 1) node.after.push_back(static_cast<std::int64_t>(nodes.size()) - 2);
  }
  return nodes;
}

HostGraphExec::Node HostGraphExec::bind(const Task& task) {
  if (task.run != HostKernel::run) return {task, std::make_shared<BoundTask>(task)};
  return {task, static_cast<OpImplementation*>(task.object)->bind(HostKernel::operands_of(task))};
}

HostGraphExec::HostGraphExec(const std::vector<Task>& tasks) {
  Version& version = *versions_.emplace_back(std::make_unique<Version>());
  version.nodes.reserve(tasks.size());
  for (const Task& task : tasks) version.nodes.push_back(bind(task));
}

HostGraphExec::~HostGraphExec() {
  for (const auto& version : versions_) {
    while (version->in_flight.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  }
}

HostGraphExec::Version& HostGraphExec::version_to_change() {
  if (versions_.back()->in_flight.load(std::memory_order_acquire) != 0) {
    auto next = std::make_unique<Version>();
    next->nodes = versions_.back()->nodes;
    versions_.push_back(std::move(next));
  }
  const auto ran = [&](const auto& version) {
    return version != versions_.back() && version->in_flight.load(std::memory_order_acquire) == 0;
  };
  versions_.erase(std::remove_if(versions_.begin(), versions_.end(), ran), versions_.end());
  return *versions_.back();
}

GraphUpdate HostGraphExec::update(Graph& graph) {
  const std::vector<Task>& tasks = static_cast<HostGraph&>(graph).tasks();
  const std::vector<Node>& before = versions_.back()->nodes;
  if (tasks.size() != before.size()) {
    return {.done = false,
            .node = "",
            .reason = "the graph has " + std::to_string(tasks.size()) + " nodes, the exec " +
                      std::to_string(before.size())};
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (same_kind(tasks[i], before[i].task)) continue;
    return {.done = false,
            .node = name_of(tasks[i]) + " node " + std::to_string(i),
            .reason = "the exec has another op there, " + name_of(before[i].task)};
  }
  Version& version = version_to_change();
  for (std::size_t i = 0; i < tasks.size(); ++i) version.nodes[i] = bind(tasks[i]);
  return {.done = true, .node = "", .reason = ""};
}

void HostGraphExec::set_operands(const std::vector<GraphNode>& nodes, Kernel&, void* const* operands) {
  Node& node = version_to_change().nodes.at(position_of(nodes.at(0)));
  GRAPHBENCH_ASSERT(node.task.run == HostKernel::run);
  node.op = static_cast<OpImplementation*>(node.task.object)->bind(operands);
}

void HostGraphExec::set_copy(GraphNode node, const DeviceCopy& copy) {
  Node& changed = version_to_change().nodes.at(position_of(node));
  HostStream::make_copy(changed.task, copy);
  changed.op = std::make_shared<BoundTask>(changed.task);
}

void HostGraphExec::upload(Stream& stream) {
  static_cast<HostStream&>(stream).submit_uncaptured("upload graph", run_nothing, nullptr, nullptr, 0);
}

void HostGraphExec::launch(Stream& stream) {
  Version& version = *versions_.back();
  version.in_flight.fetch_add(1, std::memory_order_relaxed);
  try {
    static_cast<HostStream&>(stream).submit_uncaptured("launch graph", run, &version, nullptr, 0);
  } catch (...) {
    version.in_flight.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
}

void HostGraphExec::run(Task& task, StreamContext& context) {
  auto& version = *static_cast<Version*>(task.object);
  // The count is the last thing touched: with it the version may be destroyed.
  struct Landing {
    std::atomic<int>& in_flight;
    ~Landing() { in_flight.fetch_sub(1, std::memory_order_release); }
  } const landing{version.in_flight};
  if (context.recorder == nullptr) [[likely]] {
    for (const Node& node : version.nodes) node.op->run(context);
    return;
  }
  for (const Node& node : version.nodes) {
    const std::string name = name_of(node.task);  // read again when the record ends
    const RecordedOp recorded(context.recorder, name);
    node.op->run(context);
  }
}

}  // namespace graphbench::host
