// One program on one device as the harness would hold it: static buffers, the eager pool, the shared
// pool of captures, and executors over them. A program that uses it compiles rig.cpp too.
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

  // The same in a context of the caller's, without the warm-up.
  static std::unique_ptr<execution::Executor> prepare(ExecutionMode mode,
                                                      const execution::ExecutionContext& context,
                                                      std::int64_t batch);
  // An eager executor after one step that is done.
  std::unique_ptr<execution::Executor> run_eager(std::int64_t batch);

  // Of executors made from here on.
  void replace_memset_nodes() { replace_memset_nodes_ = true; }

  // Puts inputs and state to what `seed` gives.
  void reset(std::uint64_t seed);
  // Waits, then reads all outputs of the executor's last step.
  std::vector<Bytes> outputs(const execution::Executor& executor, std::int64_t batch);
  // reset(seed), one step, outputs.
  std::vector<Bytes> step(execution::Executor& executor, std::int64_t batch, std::uint64_t seed);
  // The same as `step`, op by op on fresh activations.
  std::vector<Bytes> eager_step(std::int64_t batch, std::uint64_t seed);
  // reset(seed), so many steps in a row, outputs and state_digests().
  std::pair<std::vector<Bytes>, std::vector<std::uint64_t>> steps(execution::Executor& executor, int count,
                                                                  std::int64_t batch, std::uint64_t seed);
  // Digests of all state, whatever the batch.
  std::vector<std::uint64_t> state_digests();
  Bytes read(const void* data, std::size_t bytes);
  void poison(const std::vector<pool::MemoryRange>& ranges);

  const ir::Program& program() const { return program_; }
  execution::ProgramBuffers& buffers() { return buffers_; }
  pool::MemoryPool& eager_pool() { return eager_pool_; }
  pool::MemoryPool& graph_pool() { return graph_pool_; }

 private:
  Device& device_;
  Stream& stream_;
  const ir::Program program_;
  execution::ProgramBuffers buffers_;
  pool::MemoryPool eager_pool_;
  pool::MemoryPool graph_pool_;
  bool replace_memset_nodes_ = false;
  std::map<std::int64_t, std::unique_ptr<execution::Executor>> eager_;
};

// Elements as fp64, whatever they are stored as.
std::vector<double> decode(const Bytes& bytes, ir::DType dtype);

}  // namespace graphbench::test
