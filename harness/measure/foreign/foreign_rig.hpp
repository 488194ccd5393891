// The rig of a task with a foreign step: opens the step for each batch size and checks its outputs.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/measure/foreign/foreign_step.hpp"
#include "harness/measure/ranks/rank.hpp"
#include "harness/measure/worker/rig.hpp"

namespace graphbench::measure {

class ForeignRig final : public Rig {
 public:
  // The arguments must outlive the rig. Opens the step for the task's batches, the largest first. Stores a
  // failure, which make_executor() throws for that batch; opens no more batches if the failure makes the
  // process unusable. A task without batches opens a batch at its first use. Calls `phase` before a batch
  // opens; a second thread repeats the call, as a sign of life. A batch that fails on one rank fails on all.
  ForeignRig(const model::WorkerTask& task, Device& device, const gb_step& record,
             const std::function<void(std::int64_t batch, std::string_view name)>& phase,
             const Rank& rank = {});

  void allocate(std::int64_t) override { allocated_ = true; }
  bool allocated() const noexcept override { return allocated_; }
  void release() override { allocated_ = false; }
  void drop_graphs() override { drop(GB_DROP_GRAPHS); }
  void empty_pool() override { drop(GB_DROP_POOL); }
  // Differences that another order of operations explains give Check::tolerated; larger ones fail. A step
  // that checks itself (gb_step.check) judges; else its outputs are compared here.
  void check(execution::Executor& executor, std::int64_t batch, const model::StepRecords* records,
             std::optional<model::Check>& check) override;
  // Only an unsupported mode, which is reported before any capture, an empty graph and a failed check leave
  // the process usable. A failed capture can leave a library's allocator in any state.
  bool survives(ErrorCode code) const noexcept override {
    return code == ErrorCode::check_failed || code == ErrorCode::unsupported ||
           code == ErrorCode::recorded_nothing;
  }
  // The device must not be reset between placements: PyTorch does not survive a reset of its device.
  bool owns_device() const noexcept override { return false; }
  ForeignRig* of_step() noexcept override { return this; }
  // From now on steps are opened for `graphbench ladder`.
  void serve() noexcept { serves_ = true; }
  bool lends_rows() const noexcept { return record_.rows != nullptr; }
  bool on_host() { return device().info().kind == "host"; }
  // Opens the step in this mode unless it is open. Throws what opening throws.
  ForeignStep& opened(std::int64_t batch, const std::string& mode);
  void close(std::int64_t batch) { opened_.erase(batch); }
  // gb_step.report. The name of a nested fact is its path, as in "outer.inner".
  StepReport step_report(std::int64_t batch) override;

 private:
  struct Opened {
    std::unique_ptr<ForeignStep> step;
    std::optional<Error> failure;
    double seconds = 0;
  };
  std::unique_ptr<execution::Executor> make_executor(std::int64_t batch, bool eagerly) override;
  std::optional<double> between_captures(std::int64_t batch) override;
  void let_step_check(ForeignStep& step, execution::Executor& executor, const model::StepRecords* records,
                      std::optional<model::Check>& check);
  // Closes what was open for the batch. Returns false if other batches need a new process.
  bool open(std::int64_t batch, const std::string& mode);
  ForeignStep& step_at(std::int64_t batch);
  void drop(std::int32_t what);

  const gb_step& record_;
  const std::function<void(std::int64_t batch, std::string_view name)> phase_;
  const Rank rank_;
  std::map<std::int64_t, Opened> opened_;
  bool allocated_ = false;
  bool serves_ = false;
};

}  // namespace graphbench::measure
