// Room for a pass's samples, made before it. Pushing is a store and an increment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/ir/error.hpp"

namespace graphbench::measure {

class SampleBuffer {
 public:
  explicit SampleBuffer(std::size_t capacity) : nanoseconds_(capacity) {}

  // The caller sized the buffer; one sample too many is its mistake, not a reason to grow.
  void push(std::int64_t nanoseconds) {
    GRAPHBENCH_ASSERT(count_ < nanoseconds_.size());
    nanoseconds_[count_++] = nanoseconds;
  }

  std::size_t size() const noexcept { return count_; }
  std::size_t capacity() const noexcept { return nanoseconds_.size(); }

  std::vector<double> seconds() const {
    std::vector<double> converted;
    converted.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) converted.push_back(static_cast<double>(nanoseconds_[i]) * 1e-9);
    return converted;
  }

 private:
  std::vector<std::int64_t> nanoseconds_;
  std::size_t count_ = 0;
};

}  // namespace graphbench::measure
