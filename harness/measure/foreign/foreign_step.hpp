// A foreign step (gb_step of the plugin ABI) at one batch size in one mode, and the executor that runs its
// parts and replays their graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graphs/abi/graphbench_abi.h"
#include "graphs/execution/executor.hpp"
#include "graphs/execution/shared_execs.hpp"

namespace graphbench::measure {

// Arguments of gb_step.open; see gb_step_request.
struct Opening {
  std::int64_t batch = 0;
  std::int64_t launch = 0;
  std::string mode;
  std::string device_uuid;  // empty on the host device
  std::vector<std::string> split_ops;
  std::vector<std::pair<std::string, std::string>> axes;
  bool serves = false;
};

// Owns the result of gb_step.open. Every call throws Error(step_failed), or Error(unsupported) if the step
// does not support the mode. The message has the function's name and the step's own text.
class ForeignStep {
 public:
  // `record` outlives this.
  ForeignStep(const gb_step& record, const Opening& opening, Stream& stream);
  ~ForeignStep() { close(); }
  ForeignStep(const ForeignStep&) = delete;
  ForeignStep& operator=(const ForeignStep&) = delete;

  // The kind (gb_step_part) of each part into which the mode divides the step.
  const std::vector<std::uint8_t>& parts() const noexcept { return parts_; }
  const std::string& mode() const noexcept { return mode_; }
  void run(std::int32_t part);
  // Captures the part, or returns null if the harness must capture run(part) itself.
  void* capture(std::int32_t part);
  void fill(std::uint64_t seed);
  std::vector<gb_step_output> outputs();  // valid until the next call
  std::string report();                   // a JSON object, or empty
  // The state to put back before each timed step.
  const std::vector<gb_step_copy>& state() const noexcept { return state_; }
  std::int64_t batch() const noexcept { return batch_; }
  std::vector<gb_step_rows> rows();  // valid until the next call
  void narrow(std::int64_t rows);    // eager steps of a step that lends rows; see gb_step.narrow
  void rewind();                     // the same again, which puts random generators back
  bool can_drop() const noexcept { return record_.drop != nullptr; }
  void drop(std::int32_t what);  // see gb_step.drop
  bool checks_itself() const noexcept { return record_.check != nullptr; }
  std::string check(const std::string& heard);  // one turn of gb_step.check
  // Runs an eager step, unless the record names no modules. Calls `mark` with the name of each module that
  // begins or goes on, when all that was enqueued before it is done.
  void run_by_modules(const std::function<void(std::string name)>& mark);

 private:
  template <typename Call>
  void checked(const char* function, Call&& call);
  [[noreturn]] void fail(const char* function, int status);
  void read_parts();
  void read_state();
  void close() noexcept;

  const gb_step& record_;
  const std::string mode_;
  const std::int64_t batch_;
  std::int64_t narrowed_;
  void* step_ = nullptr;
  std::vector<std::uint8_t> parts_;
  std::vector<gb_step_copy> state_;
  std::vector<char> reason_;  // for the step's error text; allocated once, because run() must not allocate
};

// In mode `eager` runs the whole step (part -1); the other modes run, capture and replay its parts.
// restore() also narrows the step to this executor's rows.
class ForeignExecutor final : public execution::Executor {
 public:
  // All arguments outlive the executor. `rows`: those that eager steps compute; 0: all of the batch.
  ForeignExecutor(Device& device, Stream& stream, ForeignStep& step, bool eagerly, std::int64_t rows = 0);

  Executor& eager() override { return eager_ ? *eager_ : *this; }
  // If every part is a GB_PART_RUN, runs the parts, because the step may compile and capture in its first
  // runs. Otherwise runs the eager step.
  void warm_up() override;
  void capture() override;
  void instantiate() override;
  void upload() override;
  execution::StepCounts counts() const override;
  const void* output(ir::ValueId) const override { return nullptr; }  // see ForeignStep::outputs
  // Null if the harness does not launch the part's graph.
  GraphExec* exec_of(std::size_t part) const { return parts_[part].exec.get(); }
  std::vector<Graph*> graphs() const override;
  std::vector<facts::DescribedPiece> describe() const override;
  void restore() override;
  bool share_execs(Executor& leader) override;
  bool take_execs() override;

 private:
  struct Part {
    std::uint8_t kind = GB_PART_RUN;
    std::unique_ptr<Kernel> call;  // runs, launches or captures the part
    std::unique_ptr<Graph> graph = {};
    std::unique_ptr<GraphExec> exec = {};
    PreparedReplay replay = {};
  };

  void enqueue_step() override;
  void require_work() const;
  std::vector<execution::SharedExecs::Piece> pieces() const;
  std::unique_ptr<Graph> capture_part(Part& part, std::int32_t index);

  Device& device_;
  Stream& stream_;
  ForeignStep& step_;
  const std::int64_t rows_;
  const bool on_host_;
  std::unique_ptr<ForeignExecutor> eager_;  // null: this executor is eager
  std::vector<Part> parts_;
  execution::SharedExecs shared_;
};

}  // namespace graphbench::measure
