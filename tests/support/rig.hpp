// One program on one device, as in the harness: static buffers, the eager pool, the pool that captures
// share, and executors that use them. A test program that includes this file must also compile rig.cpp.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "graphs/execution/executor.hpp"

namespace graphbench::test {

using execution::ExecutionMode;
using Bytes = std::vector<unsigned char>;

class Rig {
 public:
  using Layout = execution::ProgramBuffers::Layout;

  Rig(Device& device, Stream& stream, ir::Program program, std::int64_t largest_batch,
      Layout layout = Layout::apart);

  execution::ExecutionContext context(bool record_free_ranges = false);
  std::unique_ptr<execution::Executor> make(ExecutionMode mode, std::int64_t batch,
                                            bool record_free_ranges = false);
  // An executor that has been through warm-up, capture, instantiation and upload.
  std::unique_ptr<execution::Executor> prepare(ExecutionMode mode, std::int64_t batch,
                                               bool record_free_ranges = false);

  // The same in the given context, without the warm-up.
  static std::unique_ptr<execution::Executor> prepare(ExecutionMode mode,
                                                      const execution::ExecutionContext& context,
                                                      std::int64_t batch);
  std::unique_ptr<execution::Executor> run_eager(std::int64_t batch);

  // Applies to executors that are made later.
  void replace_memset_nodes() { replace_memset_nodes_ = true; }

  // Sets inputs and state to values from `seed`.
  void reset(std::uint64_t seed);
  // Waits, then reads all outputs of the executor's last step.
  std::vector<Bytes> outputs(const execution::Executor& executor, std::int64_t batch);
  // Calls reset(seed), runs one step, and returns its outputs.
  std::vector<Bytes> step(execution::Executor& executor, std::int64_t batch, std::uint64_t seed);
  // The same as step(), with an eager executor that is made once per batch.
  std::vector<Bytes> eager_step(std::int64_t batch, std::uint64_t seed);
  // Calls reset(seed), runs `count` steps, and returns outputs and state_digests().
  std::pair<std::vector<Bytes>, std::vector<std::uint64_t>> steps(execution::Executor& executor, int count,
                                                                  std::int64_t batch, std::uint64_t seed);
  // Digests of all state and parameters, at their size for the largest batch.
  std::vector<std::uint64_t> state_digests();
  Bytes read(const void* data, std::size_t bytes);
  void poison(const std::vector<execution::MemoryRange>& ranges);

  const ir::Program& program() const { return program_; }
  execution::ProgramBuffers& buffers() { return buffers_; }
  execution::MemoryPool& eager_pool() { return eager_pool_; }
  execution::MemoryPool& graph_pool() { return graph_pool_; }

 private:
  Device& device_;
  Stream& stream_;
  const ir::Program program_;
  execution::ProgramBuffers buffers_;
  execution::MemoryPool eager_pool_;
  execution::MemoryPool graph_pool_;
  bool replace_memset_nodes_ = false;
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> eager_;
};

std::vector<double> decode(const Bytes& bytes, ir::DType dtype);

}  // namespace graphbench::test
