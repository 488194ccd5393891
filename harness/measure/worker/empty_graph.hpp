// A graph of empty kernels in a straight line. It has only the cost of launching, and touches no cache.
#pragma once

#include <cstdint>
#include <memory>

#include "graphs/device/device.hpp"

namespace graphbench::measure {

class EmptyGraph {
 public:
  // Both arguments outlive the graph.
  EmptyGraph(Device& device, Stream& stream, std::int64_t kernels)
      : stream_(stream), kernel_(device.make_empty_kernel()) {
    graph_ = stream.capture([&] {
      for (std::int64_t i = 0; i < kernels; ++i) launch_kernel();
    });
    exec_ = graph_->instantiate();
    exec_->upload(stream);
    stream.synchronize();
  }

  void launch() { exec_->launch(stream_); }
  void launch_kernel() { kernel_->launch(stream_, nullptr); }

 private:
  Stream& stream_;
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<GraphExec> exec_;
};

}  // namespace graphbench::measure
