// Recordings of the host device: a graph is a list of tasks; instantiating binds each to its
// addresses, so that a replay is one task that runs them all. A node is its position, from 1 on.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "graphs/device/device.hpp"
#include "graphs/host/op_implementation.hpp"
#include "graphs/host/task_ring.hpp"

namespace graphbench::host {

class HostGraphExec final : public GraphExec {
 public:
  explicit HostGraphExec(const std::vector<Task>& tasks);
  ~HostGraphExec() override;  // waits for replays that are still enqueued
  GraphUpdate update(Graph& graph) override;
  void set_operands(const std::vector<GraphNode>& nodes, Kernel& kernel, void* const* operands) override;
  void set_copy(GraphNode node, const DeviceCopy& copy) override;
  // There is no other memory to move it to: the graph is where it runs. The stream still orders it.
  void upload(Stream& stream) override;
  void launch(Stream& stream) override;
  void* native_handle() noexcept override { return nullptr; }

 private:
  struct Node {
    Task task;  // what was recorded: which kinds of node an update may not change
    std::shared_ptr<BoundOp> op;
  };
  // What a launch runs. A change while launches are enqueued begins another one, and leaves theirs alone.
  struct Version {
    std::vector<Node> nodes;
    std::atomic<int> in_flight{0};
  };

  static Node bind(const Task& task);
  static void run(Task& task, StreamContext& context);
  Version& version_to_change();

  std::vector<std::unique_ptr<Version>> versions_;  // the last is launched; the others are until they ran
};

class HostGraph final : public Graph {
 public:
  explicit HostGraph(std::vector<Task> tasks) : tasks_(std::move(tasks)) {}
  std::size_t node_count() const override { return tasks_.size(); }
  std::unique_ptr<GraphExec> instantiate() override { return std::make_unique<HostGraphExec>(tasks_); }
  std::vector<GraphNode> nodes() const override;
  std::vector<facts::DescribedNode> describe() const override;
  void reset() override { tasks_.clear(); }
  void* native_handle() noexcept override { return nullptr; }

  std::vector<Task>& tasks() noexcept { return tasks_; }

 private:
  std::vector<Task> tasks_;
};

}  // namespace graphbench::host
