// The caller of a ladder's steps: it owns inputs and outputs, whose rows go into a graph's static inputs and
// come out of its outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/execution/executor.hpp"
#include "graphs/execution/program_buffers.hpp"

namespace graphbench::ladder {

// Throws Error(not_batch_major), naming the value, where rows of a batch cannot be told apart: an input or
// state that depends on the batch or that the program writes, or an output, whose outermost extent is not the
// batch.
void require_batch_major(const ir::Program& program);

// Bytes of one of the batch in a value that require_batch_major() let pass.
std::size_t row_bytes(const ir::Program& program, ir::ValueId id);

class Caller {
 public:
  // The caller's values for steps of up to `rows_max`, inputs filled from `seed`. All outlive the caller.
  // Throws Error(out_of_memory).
  Caller(const execution::ExecutionContext& context, std::int64_t rows_max, std::uint64_t seed);

  struct Rows {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  // Enqueues: the caller's rows into the first rows of the static inputs, and pad values into those of the
  // rows behind them, up to `size`, that an earlier step left dirty. Inputs that do not depend on the batch
  // stay as they are.
  void copy_in(Rows rows, std::int64_t size);
  // Enqueues: the executor's first rows to the caller's.
  void copy_out(const execution::Executor& executor, Rows rows);
  // Enqueues: the first rows of those static inputs that the program writes to the caller's, after a step of
  // `size`.
  void copy_back(Rows rows, std::int64_t size);
  // What lies in the static inputs was not put there by copy_in(): all their rows are dirty.
  void forget();

 private:
  struct Edge {
    ir::ValueId id = 0;
    Buffer own;
    std::byte* fixed = nullptr;  // of an input
    std::size_t row_bytes = 0;
    std::int64_t dirty = 0;  // static rows from here on hold pad values
    bool written = false;    // by the program
  };
  void pad(const Edge& edge, Rows rows);

  DeviceMemory& memory_;
  Stream& stream_;
  const ir::Program& program_;
  std::int64_t rows_max_;
  std::vector<Edge> inputs_;
  std::vector<Edge> outputs_;
};

}  // namespace graphbench::ladder
