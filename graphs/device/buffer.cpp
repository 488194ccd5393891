// Buffer: device memory with one owner.
#include <utility>

#include "graphs/device/memory.hpp"

namespace graphbench {

Buffer::Buffer(DeviceMemory& memory, std::size_t bytes, MemoryKind kind)
    : memory_(&memory), data_(memory.allocate(bytes)), tallied_(memory.tally(), kind, bytes) {}

Buffer::Buffer(Buffer&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      tallied_(std::move(other.tallied_)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) memory_->deallocate(data_);
    memory_ = std::exchange(other.memory_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    tallied_ = std::move(other.tallied_);
  }
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) memory_->deallocate(data_);
}

}  // namespace graphbench
