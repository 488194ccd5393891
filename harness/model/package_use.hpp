// How a cell used a package. Part of result.hpp.
#pragma once

#include <cstdint>
#include <string>

namespace graphbench::model {

// How a cell used a package (--package), in its first launch.
struct PackageUse {
  std::int64_t bytes;          // of its file
  std::int64_t weights_bytes;  // size of the file with its weights
  // time to read and check the package, make the program, and read, verify and upload weights
  double load_seconds;
  double verify_seconds;      // the part of load_seconds for digests of weights
  double first_step_seconds;  // from a ready context to the end of the first step, this batch alone
  // The source of the choices among libraries' algorithms: "package", or "chosen_at_load" if its own are for
  // another device, library or build; empty: it has none.
  std::string plans;
  bool low_memory;             // --low-memory ON
  std::int64_t staging_bytes;  // the most of the host's memory that weights took while they were loaded
};

}  // namespace graphbench::model
