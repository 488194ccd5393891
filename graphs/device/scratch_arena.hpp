// Scratch memory that ops of one device share. These ops never overlap in time, so all use the same bytes.
// A chunk is never moved, because graphs contain the chunk's address.
#pragma once

#include <cstddef>
#include <vector>

#include "graphs/device/memory.hpp"

namespace graphbench {

class ScratchArena {
 public:
  explicit ScratchArena(DeviceMemory& memory) : memory_(memory) {}

  // 512-byte aligned memory, which the arena owns; null for 0 bytes. Throws Error(out_of_memory).
  std::byte* reserve(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    // The largest batch is prepared first, so the first chunk usually serves all batches.
    if (chunks_.empty() || chunks_.back().bytes() < bytes) {
      chunks_.emplace_back(memory_, bytes, MemoryKind::workspace);
      total_bytes_ += bytes;
    }
    return static_cast<std::byte*>(chunks_.back().data());
  }

  // Adds memory that an op keeps for itself, such as a table, to total_bytes().
  void count(std::size_t bytes) noexcept { total_bytes_ += bytes; }
  std::size_t total_bytes() const noexcept { return total_bytes_; }

 private:
  DeviceMemory& memory_;
  std::vector<Buffer> chunks_;  // each larger than the one before
  std::size_t total_bytes_ = 0;
};

}  // namespace graphbench
