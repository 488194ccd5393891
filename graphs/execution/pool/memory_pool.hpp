// Device memory that eager activations or captured graphs share. The pool reserves segments from the device
// and cuts them into blocks. It reuses freed blocks best-fit, in the order of the calls.
//
// Stream order: a pool serves one stream. A released block can be reused at once, because its next writer is
// enqueued after its last reader. A private pool for captures follows this order at capture time. The order
// also holds at replay if pieces are replayed in the order of their capture.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "graphs/device/memory.hpp"

namespace graphbench::execution {

// A part of a segment. Owned by its pool; valid until released.
struct Block {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  Block* previous = nullptr;  // the adjacent blocks in the same segment, for coalescing
  Block* next = nullptr;
  bool in_use = false;
};

struct MemoryRange {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

struct PoolStatistics {
  std::size_t reserved_bytes = 0;  // taken from the device
  std::size_t in_use_bytes = 0;
  std::size_t in_use_bytes_max = 0;
  std::size_t segments = 0;
};

class MemoryPool {
 public:
  explicit MemoryPool(DeviceMemory& memory);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Returns a 512-byte aligned block. If no free block fits, the pool reserves device memory; otherwise the
  // call neither allocates nor locks. Throws Error(out_of_memory).
  Block* allocate(std::size_t bytes);
  void release(Block* block) noexcept;

  // Gives every segment without a block in use back to the device. The stream must be idle.
  void trim() noexcept;

  const PoolStatistics& statistics() const noexcept { return statistics_; }
  std::vector<MemoryRange> free_ranges() const;

 private:
  Block* take_node();
  void insert_free(Block* block);
  void erase_free(Block* block) noexcept;
  Block* reserve_segment(std::size_t bytes);
  Block* split(Block* block, std::size_t bytes);
  void merge_with_next(Block* block) noexcept;

  DeviceMemory& memory_;
  std::vector<Buffer> buffers_;
  std::vector<Block*> heads_;  // first block of each segment
  std::vector<Block*> free_;   // sorted by size, then address
  std::deque<Block> nodes_;
  std::vector<Block*> spare_nodes_;
  PoolStatistics statistics_;
};

inline constexpr std::size_t block_alignment = 512;

}  // namespace graphbench::execution
