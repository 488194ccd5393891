// Recordings of the host device: a graph is a list of tasks; instantiating binds each to its
// addresses, so that a replay is one task that runs them all.
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
  struct Node {
    std::unique_ptr<BoundOp> op;
    std::string name;  // in activity records
  };
  explicit HostGraphExec(std::vector<Node> nodes);
  ~HostGraphExec() override;  // waits for replays that are still enqueued
  // There is no other memory to move it to: the graph is where it runs. The stream still orders it.
  void upload(Stream& stream) override;
  void launch(Stream& stream) override;
  void* native_handle() noexcept override { return nullptr; }

 private:
  static void run(Task& task, StreamContext& context);

  std::vector<Node> nodes_;
  std::atomic<int> in_flight_{0};
};

class HostGraph final : public Graph {
 public:
  explicit HostGraph(std::vector<Task> tasks) : tasks_(std::move(tasks)) {}
  std::size_t node_count() const override { return tasks_.size(); }
  std::unique_ptr<GraphExec> instantiate() override;
  void* native_handle() noexcept override { return nullptr; }

 private:
  std::vector<Task> tasks_;
};

}  // namespace graphbench::host
