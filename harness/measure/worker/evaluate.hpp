// Evaluates a model under training: the forward program, without gradients, on the trained parameters.
#pragma once

#include <memory>
#include <vector>

#include "harness/measure/worker/task_rig.hpp"

namespace graphbench::worker {

class EvaluationStep {
 public:
  // `forward` is the program that the rig's training program was made from; it uses the rig's weights and
  // state if the rig has them. The step has been through the task's setup, in its mode. All outlive the step.
  // Throws the exceptions of preparing and capturing.
  EvaluationStep(const model::WorkerTask& task, TaskRig& rig, const ir::Program& forward, std::int64_t batch);

  // The outputs of a step by replay or, `eagerly`, op by op. Nothing else may run meanwhile.
  std::vector<std::vector<std::byte>> outputs(bool eagerly);
  // Times a few steps, because only their median is needed.
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
