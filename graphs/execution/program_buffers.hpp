// The static memory of one program in one process: inputs, weights and state, sized for the largest batch and
// sliced for smaller ones. All executors of the process use the same buffers, so a graph's captured addresses
// stay valid and weights exist once.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "graphs/device/memory.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::execution {

class ProgramBuffers {
 public:
  // `together`: all values are in one block, so that the distances between values, which affect the times of
  // steps, are the same in every process. `apart`: each value has its own allocation, so that a memory
  // checker detects access outside a value.
  enum class Layout { together, apart };

  // Throws Error(out_of_memory).
  ProgramBuffers(DeviceMemory& memory, const ir::Program& program, std::int64_t largest_batch,
                 Layout layout = Layout::together);

  // Shares weights, parameters and state with `from`, the buffers of `other`. `from` must outlive this
  // object. Values of equal name, type and size have equal addresses; other values get new memory.
  ProgramBuffers(DeviceMemory& memory, const ir::Program& program, std::int64_t largest_batch,
                 const ir::Program& other, const ProgramBuffers& from);

  // The value's address in the buffers. Null for a value that ops compute, such as an activation or output.
  void* address(ir::ValueId id) const { return addresses_.at(id); }
  std::int64_t largest_batch() const noexcept { return largest_batch_; }
  std::size_t weights_bytes() const noexcept { return weights_.bytes(); }
  std::size_t bytes() const;  // without shared values

  // `upload` fills weights and parameters, which then do not depend on the seed. It must wait until the value
  // is filled.
  using Upload = std::function<void(Stream& stream, ir::ValueId id, void* destination)>;
  void upload_weights(Upload upload) { upload_ = std::move(upload); }

  // The next three functions enqueue fills of one kind of values from `seed` (weights: once; inputs: fresh
  // data; state and parameters: reset). fill_weights() also waits, because kernels may read weights
  // ahead of stream order. The bits depend only on the seed and the value, not on the device.
  void fill_weights(Stream& stream, std::uint64_t seed);
  void fill_inputs(Stream& stream, std::uint64_t seed);
  void fill_state(Stream& stream, std::uint64_t seed);
  void fill_own(Stream& stream, std::uint64_t seed);

 private:
  void allocate(Layout layout);
  void place_together(const std::vector<std::size_t>& offsets, std::size_t total);
  void fill(Stream& stream, ir::ValueKind kind, std::uint64_t seed);
  void fill(Stream& stream, ir::ValueId id, std::uint64_t seed);

  DeviceMemory& memory_;
  const ir::Program& program_;
  std::int64_t largest_batch_;
  std::vector<Buffer> blocks_;
  std::vector<void*> addresses_;
  std::vector<bool> shared_;  // by ValueId: true if another object owns the memory
  Tallied weights_;           // bytes of the weights and parameters in blocks_
  Upload upload_;             // empty: values are filled from the seed
};

}  // namespace graphbench::execution
