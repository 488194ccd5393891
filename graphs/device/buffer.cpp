// Buffer: device memory with one owner.
#include <utility>

#include "graphs/device/device.hpp"

namespace graphbench {

Buffer::Buffer(Device& device, std::size_t bytes)
    : device_(&device), data_(device.allocate(bytes)), bytes_(bytes) {}

Buffer::Buffer(Buffer&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) device_->deallocate(data_);
    device_ = std::exchange(other.device_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) device_->deallocate(data_);
}

}  // namespace graphbench
