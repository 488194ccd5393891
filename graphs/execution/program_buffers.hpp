// The static memory of one program in one process: inputs, weights and state, sized for the largest
// batch and sliced for smaller ones. Every executor of the process reads and writes the same buffers,
// so a graph's captured addresses stay valid and weights exist once.
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
  // `together`: in one block, so that distances between values, and with them steps' times, are the same in
  // every process. `apart`: one allocation per value, so that a memory checker sees a kernel that leaves one.
  enum class Layout { together, apart };

  // Allocates for `largest_batch`. Throws Error(out_of_memory); nothing stays allocated then.
  ProgramBuffers(DeviceMemory& memory, const ir::Program& program, std::int64_t largest_batch,
                 Layout layout = Layout::together);

  // Shares weights, parameters and state with `other`, which outlives it: values of the same name, type and
  // size lie where `from` has them. Only the rest is allocated.
  ProgramBuffers(DeviceMemory& memory, const ir::Program& program, std::int64_t largest_batch,
                 const ir::Program& other, const ProgramBuffers& from);

  // Device address of an input, weight or state value; null for activations and outputs.
  void* address(ir::ValueId id) const { return addresses_.at(id); }
  std::int64_t largest_batch() const noexcept { return largest_batch_; }
  std::size_t weights_bytes() const noexcept { return weights_.bytes(); }
  std::size_t bytes() const;  // of all values

  // Makes `upload` fill weights and parameters, instead of a seed. It returns when the value is filled.
  using Upload = std::function<void(Stream& stream, ir::ValueId id, void* destination)>;
  void upload_weights(Upload upload) { upload_ = std::move(upload); }

  // Fill the named values from `seed` (weights: once; inputs: fresh data; state and parameters: back to
  // the start). The fills are enqueued on `stream`; fill_weights() waits for them, since kernels may read
  // weights ahead of the stream's order. The bits depend on seed and value alone, not on the device.
  void fill_weights(Stream& stream, std::uint64_t seed);
  void fill_inputs(Stream& stream, std::uint64_t seed);
  void fill_state(Stream& stream, std::uint64_t seed);
  // Fills every value that is not shared.
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
  std::vector<bool> shared_;  // per value: whether it is in another's memory
  Tallied weights_;           // of blocks_
  Upload upload_;             // empty: from the seed
};

}  // namespace graphbench::execution
