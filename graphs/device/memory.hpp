// A device's memory: allocating it, owning it, counting it and filling it with data. device.hpp has the rules
// on threads, order and errors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "graphs/ir/program.hpp"

namespace graphbench {

enum class MemoryKind : std::uint8_t {
  program,    // weights, inputs, state, activations
  weights,    // part of `program`
  workspace,  // scratch of libraries and ops
  tuning,     // operands of candidates that are timed
  harness     // memory with which the harness flushes caches, or which it leaves unused
};

// Counts the bytes that a device's Buffers have, by kind. Every Buffer adds its bytes here.
class MemoryTally {
 public:
  void add(MemoryKind kind, std::size_t bytes) noexcept {
    Account& account = of(kind);
    account.now += bytes;
    account.most = std::max(account.most, account.now);
    peak_ = std::max(peak_, total());
  }
  void remove(MemoryKind kind, std::size_t bytes) noexcept { of(kind).now -= bytes; }
  std::size_t now(MemoryKind kind) const noexcept { return accounts_[static_cast<std::size_t>(kind)].now; }
  std::size_t most(MemoryKind kind) const noexcept { return accounts_[static_cast<std::size_t>(kind)].most; }
  // `program` already includes `weights`.
  std::size_t total() const noexcept {
    std::size_t bytes = 0;
    for (const Account& account : accounts_) bytes += account.now;
    return bytes - now(MemoryKind::weights);
  }
  // The highest total() since restart_peak().
  std::size_t peak() const noexcept { return peak_; }
  void restart_peak() noexcept { peak_ = total(); }

 private:
  struct Account {
    std::size_t now = 0;
    std::size_t most = 0;
  };
  Account& of(MemoryKind kind) noexcept { return accounts_[static_cast<std::size_t>(kind)]; }

  std::array<Account, 5> accounts_;
  std::size_t peak_ = 0;
};

// Adds `bytes` to a tally when it is constructed, and removes them when it is destroyed.
class Tallied {
 public:
  Tallied() = default;
  Tallied(MemoryTally& tally, MemoryKind kind, std::size_t bytes) noexcept
      : tally_(&tally), kind_(kind), bytes_(bytes) {
    tally.add(kind, bytes);
  }
  Tallied(Tallied&& other) noexcept { swap(other); }
  Tallied& operator=(Tallied&& other) noexcept {
    Tallied(std::move(other)).swap(*this);
    return *this;
  }
  ~Tallied() {
    if (tally_ != nullptr) tally_->remove(kind_, bytes_);
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void swap(Tallied& other) noexcept {
    std::swap(tally_, other.tally_);
    std::swap(kind_, other.kind_);
    std::swap(bytes_, other.bytes_);
  }

  MemoryTally* tally_ = nullptr;
  MemoryKind kind_ = MemoryKind::program;
  std::size_t bytes_ = 0;
};

class DeviceMemory;
class Stream;

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
  // Returns memory that is at least 512-byte aligned, with undefined contents. Throws Error(out_of_memory),
  // even on the host device, where the operating system would overcommit memory.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* data) noexcept = 0;
  // Host memory that the device copies without an intermediate copy. Throws Error(out_of_memory).
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void deallocate_pinned(void* data) noexcept = 0;
  virtual MemoryInfo memory() const = 0;
  // allocate() wastes no memory if `bytes` is a multiple of this size, so pools reserve multiples of it.
  virtual std::size_t allocation_granularity() const = 0;
  // Bytes of the libraries' scratch memory, which is allocated before any capture and not from pools.
  virtual std::size_t workspace_bytes() const = 0;
  // The allocated bytes that are not yet freed, including the device's own buffers.
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
