// Evaluates a model under training: the forward program, without gradients, on the trained parameters.
#pragma once

#include <memory>
#include <vector>

#include "harness/measure/worker/task_rig.hpp"

namespace graphbench::measure {

class EvaluationStep {
 public:
  // Sets up a step of `forward` in the task's mode, with the rig's weights and state. The rig's training
  // program was made from `forward`. Arguments outlive this. Throws what prepare and capture throw.
  EvaluationStep(const model::WorkerTask& task, TaskRig& rig, const ir::Program& forward, std::int64_t batch);

  // Outputs of one step: replayed or, if `eagerly`, run op by op. The device must be otherwise idle.
  std::vector<std::vector<std::byte>> outputs(bool eagerly);
  // Times a few steps, enough for a median, and compares the replayed outputs with eager's.
  model::Evaluation measure();

 private:
  const model::WorkerTask& task_;
  TaskRig& rig_;
  const ir::Program& forward_;
  std::int64_t batch_;
  execution::ProgramBuffers buffers_;
  execution::MemoryPool eager_pool_;
  execution::MemoryPool graph_pool_;
  std::unique_ptr<execution::Executor> executor_;
};

}  // namespace graphbench::measure
