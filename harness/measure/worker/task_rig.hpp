// The rig of a task whose workload is a program: pools, static buffers, and executors of the program. A
// worker's stages and `graphbench bench` both use it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "harness/measure/worker/check.hpp"
#include "harness/measure/worker/rig.hpp"
#include "harness/model/plan.hpp"
#include "harness/model/result.hpp"
#include "harness/package/weights.hpp"

namespace graphbench::abi {
class WorkloadRegistry;
}

namespace graphbench::measure {

// Uses of the task's seed. Each has its own stream of random numbers.
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

// True if the code says that graphs can never run the program. The cell is then skipped instead of failed.
bool is_skip(ErrorCode code) noexcept;
model::CellStatus status_after(const std::exception& error);

std::vector<std::int64_t> largest_first(std::vector<std::int64_t> batches);

// Builds the task's program, whose ops refer to `registry`. Throws Error(invalid_argument) for an unknown
// dtype, and the builder's exceptions.
ir::Program build_program(const abi::WorkloadRegistry& registry, const model::WorkerTask& task);
ir::Program build_forward_program(const abi::WorkloadRegistry& registry, const model::WorkerTask& task);

// The kernel paths of a step's ops. Each path is listed once, with its number of ops.
std::vector<model::OpPath> paths_of(execution::Executor& executor);

class TaskRig final : public Rig {
 public:
  // All arguments outlive the rig.
  TaskRig(const model::WorkerTask& task, Device& device, const ir::Program& program);
  ~TaskRig() override;

  // Fills the static buffers from the task's seed.
  void allocate(std::int64_t largest) override;
  bool allocated() const noexcept override { return buffers_ != nullptr; }
  void release() override;
  void drop_graphs() override { capture_streams_.clear(); }
  void empty_pool() override;
  void check(execution::Executor& executor, std::int64_t batch, const model::StepRecords* records,
             std::optional<model::Check>& check) override;
  // False after most failures of a task with a plugin, because the plugin's CUDA runtime would report its
  // last error again in the next batch.
  bool survives(ErrorCode code) const noexcept override;
  TaskRig* of_program() noexcept override { return this; }

  // Null without a package and before allocate().
  const package::WeightsFile* weights() const noexcept { return weights_.get(); }

  execution::ExecutionContext context(execution::MemoryPool* graph_pool);
  // The context of another program of the task, without the caller's memory.
  execution::ExecutionContext context(const ir::Program& program, execution::ProgramBuffers& buffers,
                                      execution::MemoryPool& eager_pool, execution::MemoryPool* graph_pool);
  // Makes an executor of `mode`. The task decides how its kernels are chosen at this batch size.
  std::unique_ptr<execution::Executor> make_executor(execution::ExecutionMode mode, std::int64_t batch,
                                                     execution::MemoryPool* graph_pool);
  execution::ExecutionMode mode() const noexcept { return mode_; }
  const ir::Program& program() const noexcept { return program_; }
  execution::ProgramBuffers& buffers() noexcept { return *buffers_; }
  std::size_t caller_bytes() const noexcept { return caller_ ? caller_->device_bytes() : 0; }
  execution::MemoryPool& eager_pool() noexcept { return *eager_pool_; }
  execution::MemoryPool* graph_pool() noexcept { return graph_pool_.get(); }  // null for eager

 private:
  std::unique_ptr<execution::Executor> make_executor(std::int64_t batch, bool eagerly) override;
  void before_capture() override { eager_pool_->trim(); }
  void open_package();

  const ir::Program& program_;
  execution::ExecutionMode mode_;
  std::unique_ptr<execution::MemoryPool> eager_pool_;
  std::unique_ptr<execution::MemoryPool> graph_pool_;
  // one for each executor that captures on its own stream
  std::vector<std::unique_ptr<Stream>> capture_streams_;
  package::Manifest manifest_;
  std::unique_ptr<package::WeightsFile> weights_;
  std::unique_ptr<execution::ProgramBuffers> buffers_;
  std::unique_ptr<execution::CallerMemory> caller_;  // null if the caller uses the static buffers
  CheckMemory check_memory_;
};

}  // namespace graphbench::measure
