// The steps that a Server serves: those of a program, which all sizes run on the same static buffers, or
// those of a foreign step, which is opened for each size and has tensors of its own there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "graphs/execution/executor.hpp"
#include "harness/ladder/caller.hpp"
#include "harness/ladder/serve.hpp"
#include "harness/measure/worker/rig.hpp"

namespace graphbench::ladder {

class Steps {
 public:
  virtual ~Steps() = default;
  virtual measure::Rig& rig() = 0;
  virtual execution::ExecutionMode mode() const = 0;  // of captured sizes, unless the task has modes
  // Throws for a ladder that cannot be served.
  virtual void check_ladder(const ServeTask& task) const = 0;
  // Makes the memory of steps of up to `largest` rows, and of a caller's `rows_max` rows.
  virtual void allocate(std::int64_t largest, std::int64_t rows_max) = 0;
  virtual std::int64_t largest() = 0;
  virtual void release() = 0;
  // False if a size that is captured later has nothing until then.
  virtual bool prepares_ahead() const { return true; }
  // Prepares a captured size, and tells how long that takes without what graphbench does for itself.
  virtual std::unique_ptr<execution::Executor> make(execution::ExecutionMode mode, std::int64_t size,
                                                    double& seconds) = 0;
  // Call it after the size's capture.
  virtual void captured(std::int64_t) {}
  // Frees what a size has for itself; its executors are gone.
  virtual void close(std::int64_t) {}
  // Prepares eager steps of `rows` rows, in the memory of the largest.
  virtual std::unique_ptr<execution::Executor> make_eager(std::int64_t rows) = 0;

  // Copies of the caller's rows, as in Caller.
  virtual void copy_in(Rows rows, std::int64_t size) = 0;
  virtual void copy_out(const execution::Executor& executor, Rows rows, std::int64_t size) = 0;
  virtual void copy_back(Rows, std::int64_t) {}
  virtual void forget() {}
  // True if the caller's rows must be copied in, outside of the clocks, for an eager step that is not padded.
  virtual bool stages_eager_rows() const { return true; }

  virtual std::int64_t pool_bytes() = 0;  // the captures' pool
  // Captures the size again into a new pool, and returns the pool's bytes; absent if that is not known.
  virtual std::optional<std::int64_t> own_pool_bytes(execution::ExecutionMode, std::int64_t) { return {}; }
  virtual void report_memory(LadderMemory& memory) = 0;
  // Checks that rows of padding reach no other rows. Throws Error(check_failed).
  virtual void check_padding(execution::Executor& executor, std::int64_t rows, std::int64_t size,
                             model::Check& check) = 0;
};

std::unique_ptr<Steps> steps_of(const ServeTask& task, measure::Rig& rig);

}  // namespace graphbench::ladder
