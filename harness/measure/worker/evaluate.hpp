// Evaluating a model under training: the forward program, as it is without gradients, on the parameters that
// training has left.
#pragma once

#include <memory>
#include <vector>

#include "harness/measure/worker/task_rig.hpp"

namespace graphbench::worker {

class EvaluationStep {
 public:
  // `forward` is what the rig's training program was made of; its weights and state are the rig's, wherever
  // they are there. The step has been through the task's setup, in its mode. All outlive the step. Throws
  // what preparing and capturing do.
  EvaluationStep(const model::WorkerTask& task, TaskRig& rig, const ir::Program& forward, std::int64_t batch);

  // The outputs of a step by replay or, `eagerly`, op by op. Nothing else may run meanwhile.
  std::vector<std::vector<std::byte>> outputs(bool eagerly);
  // Times a few steps: their median is what is wanted, not their tails.
  model::Evaluation measure();

 private:
  const model::WorkerTask& task_;
  TaskRig& rig_;
  const ir::Program& forward_;
  std::int64_t batch_;
  execution::ProgramBuffers buffers_;
  pool::MemoryPool eager_pool_;
  pool::MemoryPool graph_pool_;
  std::unique_ptr<execution::Executor> executor_;
};

}  // namespace graphbench::worker
