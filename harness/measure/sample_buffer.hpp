// Samples of one quantity, in memory that is allocated before the first sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/base/error.hpp"

namespace graphbench::measure {

class DurationBuffer {
 public:
  explicit DurationBuffer(std::size_t capacity) : elapsed_ns_(capacity) {}

  void push(std::int64_t elapsed_ns) {
    GRAPHBENCH_ASSERT(count_ < elapsed_ns_.size());
    elapsed_ns_[count_++] = elapsed_ns;
  }

  std::size_t size() const noexcept { return count_; }

  std::vector<double> seconds(std::size_t first = 0) const {
    std::vector<double> converted;
    converted.reserve(count_ - first);
    for (std::size_t i = first; i < count_; ++i)
      converted.push_back(static_cast<double>(elapsed_ns_[i]) * 1e-9);
    return converted;
  }

 private:
  std::vector<std::int64_t> elapsed_ns_;
  std::size_t count_ = 0;
};

// Also stores when each step began, on the same clock.
class SampleBuffer : public DurationBuffer {
 public:
  explicit SampleBuffer(std::size_t capacity) : DurationBuffer(capacity), started_ns_(capacity) {}

  void push(std::int64_t started_ns, std::int64_t elapsed_ns) {
    DurationBuffer::push(elapsed_ns);
    started_ns_[size() - 1] = started_ns;
  }

  std::vector<std::int64_t> started_ns() const {
    return {started_ns_.begin(), started_ns_.begin() + static_cast<std::ptrdiff_t>(size())};
  }

 private:
  std::vector<std::int64_t> started_ns_;
};

}  // namespace graphbench::measure
