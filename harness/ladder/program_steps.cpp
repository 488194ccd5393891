// The steps of a program: static buffers for the largest size, one pool for all captures.
#include <algorithm>

#include "graphs/ir/passes.hpp"
#include "harness/ladder/foreign_steps.hpp"
#include "harness/ladder/steps.hpp"
#include "harness/measure/worker/task_rig.hpp"

namespace graphbench::ladder {
namespace {

using execution::ExecutionMode;

class ProgramSteps final : public Steps {
 public:
  ProgramSteps(const model::WorkerTask& task, measure::TaskRig& rig) : task_(task), rig_(rig) {}

  measure::Rig& rig() override { return rig_; }
  ExecutionMode mode() const override { return rig_.mode(); }

  void check_ladder(const ServeTask& task) const override {
    const ir::Program& program = rig_.program();
    if (!task.sizes.empty() && task.policy.mutated_inputs == MutatedInputs::refuse) {
      for (const ir::ValueId id : ir::mutated_inputs(program))
        execution::refuse_mutated_input(program, id, "--mutated-inputs copy_back");
    }
    require_batch_major(program);
    if (task.policy.beyond != LadderBeyond::split) return;
    const std::vector<ir::ValueId> states = program.values_of(ir::ValueKind::state);
    if (states.empty()) return;
    throw Error(ErrorCode::state_not_splittable,
                "serve " + program.name() + ": state " + program.value(states.front()).name +
                    " belongs to whole batches, so steps larger than every captured size "
                    "cannot be split: give --beyond eager or refuse");
  }

  void allocate(std::int64_t largest, std::int64_t rows_max) override {
    rig_.allocate(largest);
    caller_.emplace(rig_.context(rig_.graph_pool()), std::max(largest, rows_max),
                    measure::seed_for(task_, measure::SeedUse::inputs, 1));
    rig_.stream().synchronize();
  }
  std::int64_t largest() override { return rig_.buffers().largest_batch(); }
  void release() override {
    caller_.reset();
    if (rig_.allocated()) rig_.release();
  }

  std::unique_ptr<execution::Executor> make(ExecutionMode mode, std::int64_t size, double& seconds) override {
    const Stopwatch watch;
    auto executor = rig_.make_executor(mode, size, rig_.graph_pool());
    seconds = watch.seconds();
    return executor;
  }
  std::unique_ptr<execution::Executor> make_eager(std::int64_t rows) override {
    return rig_.make_executor(ExecutionMode::eager, rows, nullptr);
  }

  void copy_in(Rows rows, std::int64_t size) override { caller_->copy_in(rows, size); }
  void copy_out(const execution::Executor& executor, Rows rows, std::int64_t) override {
    caller_->copy_out(executor, rows);
  }
  void copy_back(Rows rows, std::int64_t size) override { caller_->copy_back(rows, size); }
  void forget() override { caller_->forget(); }

  std::int64_t pool_bytes() override {
    return static_cast<std::int64_t>(rig_.graph_pool()->statistics().reserved_bytes);
  }
  std::optional<std::int64_t> own_pool_bytes(ExecutionMode mode, std::int64_t size) override {
    try {
      execution::MemoryPool own(rig_.device());
      rig_.make_executor(mode, size, &own)->capture();
      return static_cast<std::int64_t>(own.statistics().reserved_bytes);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
      return std::nullopt;
    }
  }
  void report_memory(LadderMemory& memory) override {
    memory.static_bytes = static_cast<std::int64_t>(rig_.buffers().bytes());
    memory.workspace_bytes = static_cast<std::int64_t>(rig_.device().workspace_bytes());
  }
  void check_padding(execution::Executor& executor, std::int64_t rows, std::int64_t size,
                     model::Check&) override {
    check_isolation({executor, rig_.context(rig_.graph_pool()), rows, size,
                     measure::seed_for(task_, measure::SeedUse::check, size)});
  }

 private:
  const model::WorkerTask& task_;
  measure::TaskRig& rig_;
  std::optional<Caller> caller_;
};

}  // namespace

std::unique_ptr<Steps> steps_of(const ServeTask& task, measure::Rig& rig) {
  if (measure::ForeignRig* const step = rig.of_step()) return std::make_unique<ForeignSteps>(task, *step);
  return std::make_unique<ProgramSteps>(task.task, *rig.of_program());
}

}  // namespace graphbench::ladder
