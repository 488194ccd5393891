// Splits a loop over the OpenMP threads of the stream it runs on. Each element is computed by one
// thread from its index alone, so the bits do not depend on how many threads there are.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace graphbench::host {

// Calls body(first, last) on consecutive parts of [0, count), in this thread alone where a part would
// be smaller than `grain`. `body` must not throw.
template <typename Body>
void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t parts =
      std::min<std::int64_t>(omp_get_max_threads(), count / std::max<std::int64_t>(grain, 1));
  if (parts <= 1) {
    body(std::int64_t{0}, count);
    return;
  }
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(parts))
  for (std::int64_t part = 0; part < parts; ++part) body(count * part / parts, count * (part + 1) / parts);
}

}  // namespace graphbench::host
