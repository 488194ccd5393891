// The rig of a task whose workload is a foreign step: the step, opened for each batch size, and its checks.
#pragma once

#include <exception>
#include <map>
#include <vector>

#include "harness/measure/foreign/foreign_step.hpp"
#include "harness/measure/worker/rig.hpp"

namespace graphbench::foreign {

class ForeignRig final : public worker::Rig {
 public:
  // All outlive the rig. Opens the step for every batch of the task, the largest first, and keeps what failed
  // for that batch's executor; of a task without batches, a batch as it is first asked for. `phase` hears of
  // each batch before it is opened, and again, from another thread, while that takes long.
  ForeignRig(const model::WorkerTask& task, Device& device, const gb_step& record,
             const std::function<void(std::int64_t batch, std::string_view name)>& phase);

  // The step has its own memory.
  void allocate(std::int64_t) override { allocated_ = true; }
  bool allocated() const noexcept override { return allocated_; }
  void release() override { allocated_ = false; }
  // Outputs are equal bit for bit, or differ as another order of operations explains; the latter is recorded
  // (model::Check::tolerated). Others fail.
  void check(execution::Executor& executor, std::int64_t batch, std::optional<model::Check>& check) override;
  // A failed capture can leave a library's allocator in any state, so the reasons against a mode are reported
  // before a capture.
  bool survives(ErrorCode code) const noexcept override {
    return code == ErrorCode::check_failed || code == ErrorCode::unsupported;
  }
  // PyTorch does not survive a reset of its device.
  bool owns_device() const noexcept override { return false; }
  // The facts that gb_step.report returns; a nested one is named by its path.
  std::map<std::string, std::string> library(std::int64_t batch) override;

 private:
  struct Opened {
    std::unique_ptr<ForeignStep> step;
    std::exception_ptr failure;
  };
  std::unique_ptr<execution::Executor> make_executor(std::int64_t batch, bool eagerly) override;
  bool open(std::int64_t batch);  // false: others need a process that nothing has failed in
  ForeignStep& step_at(std::int64_t batch);

  const gb_step& record_;
  const std::function<void(std::int64_t batch, std::string_view name)> phase_;
  std::map<std::int64_t, Opened> opened_;
  bool allocated_ = false;
};

}  // namespace graphbench::foreign
