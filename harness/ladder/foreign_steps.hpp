// A foreign step that is served: opened for each size, with the caller's rows copied to and from its tensors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/ladder/steps.hpp"
#include "harness/measure/foreign/foreign_rig.hpp"

namespace graphbench::ladder {

class ForeignSteps final : public Steps {
 public:
  // Both arguments outlive this.
  ForeignSteps(const ServeTask& task, measure::ForeignRig& rig);

  measure::Rig& rig() override { return rig_; }
  execution::ExecutionMode mode() const override;
  void check_ladder(const ServeTask& task) const override;
  void allocate(std::int64_t largest, std::int64_t rows_max) override;
  std::int64_t largest() override { return largest_; }
  void release() override {}
  bool prepares_ahead() const override { return false; }
  std::unique_ptr<execution::Executor> make(execution::ExecutionMode mode, std::int64_t size,
                                            double& seconds) override;
  std::unique_ptr<execution::Executor> make_eager(std::int64_t rows) override;
  void captured(std::int64_t size) override;
  void close(std::int64_t size) override;
  void copy_in(Rows rows, std::int64_t size) override;
  void copy_out(const execution::Executor& executor, Rows rows, std::int64_t size) override;
  // The largest step's own inputs are the caller's rows.
  bool stages_eager_rows() const override { return false; }
  std::int64_t pool_bytes() override;
  void report_memory(LadderMemory& memory) override;
  void check_padding(execution::Executor& executor, std::int64_t rows, std::int64_t size,
                     model::Check& check) override;

 private:
  // The tensors of the step at one size.
  struct Tensors {
    std::vector<gb_step_rows> inputs, states, outputs;
    std::vector<std::string> without_rows;  // state
    bool keeps_outputs = false;             // replays write their outputs to the same memory
  };
  using Values = std::vector<std::vector<std::byte>>;  // the first rows of each tensor

  measure::ForeignStep& open(std::int64_t size);
  std::int64_t reported(const char* fact);  // a number of the step's library; 0 if it says none
  void require_room();
  void read(std::int64_t size, bool outputs_alone = false);
  void require_same(const std::vector<gb_step_rows>& first, const std::vector<gb_step_rows>& later,
                    std::int64_t size) const;
  Values values_of(const std::vector<gb_step_rows>& tensors, std::int64_t rows);
  void pad_otherwise(std::int64_t rows, std::int64_t size);
  void keep_states(std::int64_t size);
  Values run(execution::Executor& executor, std::int64_t rows, std::int64_t size, bool all_rows_differ);
  void compare(const Values& want, const Values& have, const std::string& how, bool exactly,
               model::Check& check) const;

  const ServeTask& task_;
  measure::ForeignRig& rig_;
  std::int64_t largest_ = 0;
  std::int64_t new_weights_ = 0;                  // bytes, for each size
  bool varies_ = false;                           // the bits of a step's results, from run to run
  std::map<std::string, bool> padded_otherwise_;  // by input: whether any check gave its padding other values
  std::map<std::int64_t, Tensors> tensors_;
  std::vector<std::optional<Buffer>> later_states_;  // what one step left of each state; absent: too large
  std::vector<Buffer> own_inputs_, own_outputs_;     // the caller's, with room for the largest step
};

}  // namespace graphbench::ladder
