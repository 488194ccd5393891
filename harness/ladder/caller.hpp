// The caller of a ladder's steps. It owns inputs and outputs; their rows are copied into a graph's static
// inputs and out of its outputs. Also the check that padding does not reach its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "graphs/execution/program_buffers.hpp"

namespace graphbench::ladder {

// Throws Error(not_batch_major), naming the value, if rows of a batch cannot be told apart: an output, or
// input or state that depends on the batch or is written, whose outermost extent is not the batch.
void require_batch_major(const ir::Program& program);

// Bytes per batch element of a value that require_batch_major() accepted.
std::size_t row_bytes(const ir::Program& program, ir::ValueId id);

class Caller {
 public:
  // The caller's values for steps of up to `rows_max`, inputs filled from `seed`. All outlive it.
  Caller(const execution::ExecutionContext& context, std::int64_t rows_max, std::uint64_t seed);

  struct Rows {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  // Enqueues copies of the caller's rows into the first rows of the static inputs, and pad values into the
  // following rows, up to `size`, that an earlier step left dirty. Inputs without a batch stay as they are.
  void copy_in(Rows rows, std::int64_t size);
  // Enqueues a copy of the executor's first rows to the caller's.
  void copy_out(const execution::Executor& executor, Rows rows);
  // Enqueues a copy of the inputs that the program writes, after such a step: their first static rows go to
  // the caller's.
  void copy_back(Rows rows, std::int64_t size);
  // Marks all rows of the static inputs as dirty, because their contents do not come from copy_in().
  void forget();

 private:
  struct Edge {
    ir::ValueId id = 0;
    Buffer own;
    std::byte* fixed = nullptr;  // of an input
    std::size_t row_bytes = 0;
    std::int64_t dirty = 0;  // static rows from here on hold pad values
    bool written = false;    // by the program

    std::byte* own_row(std::int64_t row) const { return static_cast<std::byte*>(own.data()) + bytes(row); }
    std::size_t bytes(std::int64_t rows) const { return static_cast<std::size_t>(rows) * row_bytes; }
  };
  void pad(const Edge& edge, Rows rows);

  DeviceMemory& memory_;
  Stream& stream_;
  const ir::Program& program_;
  std::int64_t rows_max_;
  std::vector<Edge> inputs_;
  std::vector<Edge> outputs_;
};

struct PaddedStep {
  execution::Executor& executor;  // captured, of `size`
  const execution::ExecutionContext& context;
  std::int64_t rows = 0;  // rows of the caller, fewer than size
  std::int64_t size = 0;
  std::uint64_t seed = 1;
};

// Integer inputs have their pad value in padding rows, as when steps are served. Writes inputs and state.
// Throws Error(check_failed), naming value and row, and whatever a step throws.
void check_isolation(const PaddedStep& step);

}  // namespace graphbench::ladder
