// What a cell had of generated kernels and of a package. Part of result.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

// What a cell had of a package (--package), in its first launch.
struct PackageUse {
  std::int64_t bytes = 0;          // of its file
  std::int64_t weights_bytes = 0;  // of the file with its weights
  double load_seconds = 0;         // read, checked, the program made; weights read, verified and uploaded
  double verify_seconds = 0;       // of it: digests of weights
  double first_step_seconds = 0;   // from a ready context to the end of the first step, this batch alone
  // Where choices among libraries' algorithms came from: "package", or "chosen_at_load" where its own are for
  // another device, library or build; empty: it has none.
  std::string plans;
  bool low_memory = false;         // --low-memory ON
  std::int64_t staging_bytes = 0;  // the most of the host's memory that weights took on their way
};

}  // namespace graphbench::model
