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
  // `together`, in one block: how far values lie apart does not change from process to process then, and
  // steps' times with it. `apart`, an allocation each: a memory checker sees a kernel that leaves one.
  enum class Layout { together, apart };

  // Allocates for `largest_batch`. Throws Error(out_of_memory); nothing stays allocated then.
  ProgramBuffers(DeviceMemory& memory, const ir::Program& program, std::int64_t largest_batch,
                 Layout layout = Layout::together);

  // Of a program that shares its weights, parameters and state with `other`, which outlives it: those of one
  // name, type and size are where `from` has them. Only what is not there is allocated.
  ProgramBuffers(DeviceMemory& memory, const ir::Program& program, std::int64_t largest_batch,
                 const ir::Program& other, const ProgramBuffers& from);

  // Device address of an input, weight or state value; null for activations and outputs.
  void* address(ir::ValueId id) const { return addresses_.at(id); }
  std::int64_t largest_batch() const noexcept { return largest_batch_; }
  std::size_t weights_bytes() const noexcept { return weights_.bytes(); }
  std::size_t bytes() const;  // of all of them

  // From here on weights and parameters come from there, and not from a seed. The value is filled when the
  // call returns.
  using Upload = std::function<void(Stream& stream, ir::ValueId id, void* destination)>;
  void upload_weights(Upload upload) { upload_ = std::move(upload); }

  // Fill the named values from `seed` (weights: once; inputs: fresh data; state and parameters: back to
  // the start).
  // Enqueued on `stream`; weights are there when the call returns, since kernels may read them ahead of the
  // stream's order. The bits depend on seed and value alone, not on the device.
  void fill_weights(Stream& stream, std::uint64_t seed);
  void fill_inputs(Stream& stream, std::uint64_t seed);
  void fill_state(Stream& stream, std::uint64_t seed);
  // What is not another's.
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
  std::vector<bool> shared_;  // by value: in another's memory
  Tallied weights_;           // of blocks_
  Upload upload_;             // empty: from the seed
};

}  // namespace graphbench::execution
