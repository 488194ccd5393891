// A device's memory: allocating it, owning it, and filling it with data.
// Threads, order and errors: as device.hpp says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphs/device/memory_tally.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench {

class DeviceMemory;
class Stream;

// Device memory with one owner. Move-only; freed on destruction.
class Buffer {
 public:
  Buffer() = default;
  // Throws Error(out_of_memory).
  Buffer(DeviceMemory& memory, std::size_t bytes, MemoryKind kind = MemoryKind::program);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return tallied_.bytes(); }

 private:
  DeviceMemory* memory_ = nullptr;
  void* data_ = nullptr;
  Tallied tallied_;
};

struct MemoryInfo {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};

class DeviceMemory {
 public:
  // At least 512-byte aligned. Throws Error(out_of_memory), also where the memory is only promised
  // (a host that overcommits). Contents are undefined.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* data) noexcept = 0;
  // Memory of the host that the device copies from and to by itself, without a copy in between. Throws
  // Error(out_of_memory).
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void deallocate_pinned(void* data) noexcept = 0;
  virtual MemoryInfo memory() const = 0;
  // Sizes that allocate() wastes nothing on; pools reserve in multiples of it.
  virtual std::size_t allocation_granularity() const = 0;
  // Memory that libraries hold for scratch space, made before any capture, not from pools.
  virtual std::size_t workspace_bytes() const = 0;
  // Handed out by allocate() and not yet given back, and what the device allocated for itself.
  virtual std::size_t allocated_bytes() const = 0;
  MemoryTally& tally() noexcept { return tally_; }
  const MemoryTally& tally() const noexcept { return tally_; }

  // Fills `elements` with the values of graphs/ir/random_fill.hpp: the same bits on every device.
  virtual void fill(Stream& stream, void* destination, ir::DType dtype, std::size_t elements,
                    const ir::Init& init, std::uint64_t seed) = 0;
  // A 64-bit digest of `bytes` (a multiple of 4) that depends on every word and its position.
  // Synchronises the stream.
  virtual std::uint64_t digest(Stream& stream, const void* source, std::size_t bytes) = 0;

 protected:
  ~DeviceMemory() = default;  // owned as a Device

 private:
  MemoryTally tally_;
};

}  // namespace graphbench
