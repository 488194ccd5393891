// A sum over many elements, in parts that threads share out. The order of addition depends on the count
// alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graphs/device/scratch_arena.hpp"
#include "graphs/host/ops/parallel.hpp"
#include "graphs/host/ops/row_scale.hpp"

namespace graphbench::host {

// Calls part(first, last) on parts of [0, count) of `size` each, and adds up what they return.
class SumOfParts {
 public:
  SumOfParts(std::int64_t count, std::int64_t size, ScratchArena& scratch)
      : count_(count),
        size_(size),
        parts_((count + size - 1) / size),
        sums_(reinterpret_cast<float*>(scratch.reserve(static_cast<std::size_t>(parts_) * sizeof(float)))) {}

  template <typename Part>
  float over(std::int64_t grain, const Part& part) const {
    parallel_for(parts_, grain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        sums_[i] = part(i * size_, std::min(count_, (i + 1) * size_));
    });
    return sum_in_lanes(parts_, [this](std::int64_t i) { return sums_[i]; });
  }

 private:
  std::int64_t count_;
  std::int64_t size_;
  std::int64_t parts_;
  float* sums_;
};

}  // namespace graphbench::host
