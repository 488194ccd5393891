// The caller of a ladder's steps, which owns inputs and outputs. Copies its rows into a graph's static inputs
// and out of the graph's outputs. Also checks that padding does not change the caller's rows.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "graphs/execution/program_buffers.hpp"

namespace graphbench::ladder {

// Throws Error(not_batch_major), which names the value, if rows cannot be separated: the batch must be the
// outermost extent of outputs, and of inputs and states that depend on the batch or are written.
void require_batch_major(const ir::Program& program);

// Bytes per row of a value in a program that require_batch_major() accepts.
std::size_t row_bytes(const ir::Program& program, ir::ValueId id);

struct Rows {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

class Caller {
 public:
  // Fills inputs for steps of up to `rows_max` rows from `seed`. `context` must outlive the caller.
  Caller(const execution::ExecutionContext& context, std::int64_t rows_max, std::uint64_t seed);

  // Enqueues copies of the caller's rows into the first static rows of inputs that depend on the batch.
  // Fills the next rows, up to `size`, with pad values if an earlier step left others there.
  void copy_in(Rows rows, std::int64_t size);
  // Enqueues copies of the executor's first output rows into the caller's rows.
  void copy_out(const execution::Executor& executor, Rows rows);
  // Call this after a step of `size` rows: enqueues copies of inputs that the program wrote, back to the
  // caller's rows. The program wrote to the rows of padding too, so they are filled again next time.
  void copy_back(Rows rows, std::int64_t size);
  // Lets copy_in() fill all padding again. Call it after other code wrote to the static inputs.
  void forget();

 private:
  // An input or output: the caller's memory and the graph's.
  struct Tensor {
    ir::ValueId id = 0;
    Buffer own;
    std::byte* static_rows = nullptr;  // of an input
    std::size_t row_bytes = 0;
    std::int64_t padded_from = 0;  // static rows from this one on contain pad values; rows before it may not
    bool written = false;

    std::byte* own_row(std::int64_t row) const { return static_cast<std::byte*>(own.data()) + bytes(row); }
    std::size_t bytes(std::int64_t rows) const { return static_cast<std::size_t>(rows) * row_bytes; }
  };
  void pad(const Tensor& input, Rows rows);

  DeviceMemory& memory_;
  Stream& stream_;
  const ir::Program& program_;
  std::int64_t rows_max_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
};

struct PaddedStep {
  execution::Executor& executor;  // captured, for `size` rows
  const execution::ExecutionContext& context;
  std::int64_t rows = 0;  // number of the caller's rows, less than `size`
  std::int64_t size = 0;
  std::uint64_t seed = 1;
};

// Checks that NaN in padding rows changes neither the caller's rows nor the state of other sequences. Padding
// rows of integer inputs contain their pad value, as in served steps. Writes inputs and state. Throws
// Error(check_failed), which names the value.
void check_isolation(const PaddedStep& step);

}  // namespace graphbench::ladder
