// Runs and measures the forward program with the parameters of the training program.
#include "harness/measure/worker/evaluate.hpp"

#include "harness/measure/passes.hpp"
#include "harness/model/statistics/summary.hpp"

namespace graphbench::measure {

EvaluationStep::EvaluationStep(const model::WorkerTask& task, TaskRig& rig, const ir::Program& forward,
                               std::int64_t batch)
    : task_(task),
      rig_(rig),
      forward_(forward),
      batch_(batch),
      buffers_(rig.device(), forward, batch, rig.program(), rig.buffers()),
      eager_pool_(rig.device()),
      graph_pool_(rig.device()) {
  buffers_.fill_own(rig.stream(), seed_for(task, SeedUse::inputs));
  executor_ =
      execution::make_executor(rig.mode(), rig.context(forward, buffers_, eager_pool_, &graph_pool_), batch);
  model::Setup setup{};
  rig.set_up(
      *executor_, setup, [](std::string_view) {}, task.warmup);
}

std::vector<std::vector<std::byte>> EvaluationStep::outputs(bool eagerly) {
  execution::Executor& executor = eagerly ? executor_->eager() : *executor_;
  executor.submit();
  std::vector<std::vector<std::byte>> outputs;
  for (const ir::ValueId id : forward_.results()) {
    outputs.emplace_back(forward_.describe(id, batch_).bytes());
    rig_.stream().copy_to_host(outputs.back().data(), executor.output(id), outputs.back().size());
  }
  rig_.stream().synchronize();
  return outputs;
}

model::Evaluation EvaluationStep::measure() {
  const StepUnderTest step{*executor_, rig_.stream()};
  model::Launch launch{};
  measure_ramp(step, task_.settings.sampling, launch);
  launch.latency_samples.clear();  // discards samples that were taken while the cache filled
  measure_ramp(step, task_.settings.sampling, launch);
  const facts::GraphCounts counts = executor_->counts().graphs;
  return {.ops = counts.captured_ops + counts.eager_ops,
          .pieces = counts.pieces,
          .eager_ops = counts.eager_ops,
          .identical = outputs(false) == outputs(true),
          .latency_seconds = model::summarize(launch.latency_samples)};
}

}  // namespace graphbench::measure
