// What one task runs with on a device: stream, pools, static buffers, and executors prepared step by
// step. A worker's stages and `graphbench bench` both use it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/measure/worker/check.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"
#include "harness/package/weights.hpp"

namespace graphbench::abi {
class WorkloadRegistry;
}

namespace graphbench::worker {

// Streams of random numbers that must not repeat each other.
enum class SeedUse : std::uint64_t {
  weights = 1,
  inputs = 2,
  state = 3,
  check = 4,
  order = 5,
  passes = 6,
  moves = 7
};
std::uint64_t seed_for(const model::WorkerTask& task, SeedUse use, std::int64_t batch = 0);

// True where graphs cannot hold the program: such a cell is skipped and not failed, because no run can pass
// it.
bool is_skip(ErrorCode code) noexcept;

std::vector<std::int64_t> largest_first(std::vector<std::int64_t> batches);

// The task's program, whose ops point into `registry`. Throws Error(invalid_argument) for an unknown dtype,
// and what building throws.
ir::Program build_program(const abi::WorkloadRegistry& registry, const model::WorkerTask& task);
// The same without gradients.
ir::Program build_forward_program(const abi::WorkloadRegistry& registry, const model::WorkerTask& task);

// How the executor's ops are computed where there was a choice, each way once.
std::vector<model::OpPath> paths_of(execution::Executor& executor);

class TaskRig {
 public:
  // All outlive the rig. Makes the stream, whose threads inherit the caller's CPUs. It stays the rig's only
  // one: on an H200 graphs were slower in a later stream of the same context.
  TaskRig(const model::WorkerTask& task, Device& device, const ir::Program& program);
  ~TaskRig();

  // The static buffers for batches up to `largest`, filled from the task's seed. Throws
  // Error(out_of_memory) where they do not fit; a smaller one may be tried then.
  void allocate(std::int64_t largest);
  bool allocated() const noexcept { return buffers_ != nullptr; }

  // Gives up what allocate() and captures took, for another allocate(). No executor may be left.
  void release();

  // An executor that has been through the task's warmups, capture, instantiation and upload; what each
  // took goes to `setup`, and `phase` is called before each begins. Throws what they throw.
  // `eagerly`: in mode eager, whatever the task's is.
  std::unique_ptr<execution::Executor> prepare(std::int64_t batch, model::Setup& setup,
                                               const std::function<void(std::string_view)>& phase,
                                               bool eagerly = false);
  // Of it, what follows the kernels: warmups, capture, instantiation, upload.
  void set_up(execution::Executor& executor, model::Setup& setup,
              const std::function<void(std::string_view)>& phase);
  // Throws Error(check_failed) where the outputs differ from eager's. `check` is filled in either way.
  void check(execution::Executor& executor, std::int64_t batch, std::optional<model::Check>& check);

  // The weights of the task's package; null without one, and before allocate().
  const package::WeightsFile* weights() const noexcept { return weights_.get(); }

  execution::ExecutionContext context(pool::MemoryPool* graph_pool);
  Device& device() noexcept { return device_; }
  Stream& stream() noexcept { return *stream_; }
  execution::ExecutionMode mode() const noexcept { return mode_; }
  const ir::Program& program() const noexcept { return program_; }
  execution::ProgramBuffers& buffers() noexcept { return *buffers_; }
  std::size_t caller_bytes() const noexcept { return caller_ ? caller_->device_bytes() : 0; }
  pool::MemoryPool& eager_pool() noexcept { return *eager_pool_; }
  pool::MemoryPool* graph_pool() noexcept { return graph_pool_.get(); }  // null for eager

 private:
  void open_package();

  const model::WorkerTask& task_;
  Device& device_;
  const ir::Program& program_;
  execution::ExecutionMode mode_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<pool::MemoryPool> eager_pool_;
  std::unique_ptr<pool::MemoryPool> graph_pool_;
  package::Manifest manifest_;                     // of the task's package
  std::unique_ptr<package::WeightsFile> weights_;  // likewise
  std::unique_ptr<execution::ProgramBuffers> buffers_;
  std::unique_ptr<execution::CallerMemory> caller_;  // null where the caller's memory is the buffers
  CheckMemory check_memory_;
};

}  // namespace graphbench::worker
