// Buffer: device memory with one owner.
#include <utility>

#include "graphs/device/memory.hpp"

namespace graphbench {

Buffer::Buffer(DeviceMemory& memory, std::size_t bytes)
    : memory_(&memory), data_(memory.allocate(bytes)), bytes_(bytes) {}

Buffer::Buffer(Buffer&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) memory_->deallocate(data_);
    memory_ = std::exchange(other.memory_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) memory_->deallocate(data_);
}

}  // namespace graphbench
