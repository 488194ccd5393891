// What generated kernels of a cell took. Part of result.hpp.
#pragma once

#include <cstdint>
#include <optional>

namespace graphbench::model {

// In the first placement of its first launch.
struct CompileStages {
  double generate_seconds = 0;  // writing their source
  double compile_seconds = 0;
  double load_seconds = 0;  // putting their code on the device
};
struct CompileUse {
  CompileStages stages;
  std::int64_t kernels = 0;   // that its steps launch
  std::int64_t compiled = 0;  // codes made for it; those of batches ahead of it serve it too
  std::int64_t cached = 0;    // codes found in the cache, or in a package
  // Of kernels that take any size: latency p50 over that of the same cell with kernels for its sizes.
  std::optional<double> general_over_sized = std::nullopt;
};

}  // namespace graphbench::model
