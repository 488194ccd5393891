// How a cell used a package. Part of result.hpp.
#pragma once

#include <cstdint>
#include <string>

namespace graphbench::model {

// How a cell used a package (--package), in its first launch.
struct PackageUse {
  std::int64_t bytes;          // of its file
  std::int64_t weights_bytes;  // of the file with its weights
  double load_seconds;         // read, checked, the program made; weights read, verified and uploaded
  double verify_seconds;       // of it: digests of weights
  double first_step_seconds;   // from a ready context to the end of the first step, this batch alone
  // The source of the choices among libraries' algorithms: "package", or "chosen_at_load" if its own are for
  // another device, library or build; empty: it has none.
  std::string plans;
  bool low_memory;             // --low-memory ON
  std::int64_t staging_bytes;  // the most of the host's memory that weights took on their way
};

}  // namespace graphbench::model
