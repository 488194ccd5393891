// Room for a pass's samples, made before it. Pushing is two stores and an increment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/base/error.hpp"

namespace graphbench::measure {

// Columns of one measured quantity: nanoseconds a step, and when the step began on the clock that timed it.
class SampleBuffer {
 public:
  explicit SampleBuffer(std::size_t capacity) : elapsed_ns_(capacity), started_ns_(capacity) {}

  // The caller sized the buffer; one sample too many is its mistake, not a reason to grow.
  void push(std::int64_t started_ns, std::int64_t elapsed_ns) {
    GRAPHBENCH_ASSERT(count_ < elapsed_ns_.size());
    started_ns_[count_] = started_ns;
    elapsed_ns_[count_++] = elapsed_ns;
  }

  std::size_t size() const noexcept { return count_; }

  std::vector<double> seconds() const {
    std::vector<double> converted;
    converted.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) converted.push_back(static_cast<double>(elapsed_ns_[i]) * 1e-9);
    return converted;
  }

  std::vector<std::int64_t> started_ns() const {
    return {started_ns_.begin(), started_ns_.begin() + static_cast<std::ptrdiff_t>(count_)};
  }

 private:
  std::vector<std::int64_t> elapsed_ns_;
  std::vector<std::int64_t> started_ns_;
  std::size_t count_ = 0;
};

}  // namespace graphbench::measure
