// A cell's use of a package (--package) in its first launch. Part of result.hpp.
#pragma once

#include <cstdint>
#include <string>

namespace graphbench::model {

struct PackageUse {
  std::int64_t bytes;  // size of the package file
  std::int64_t weights_bytes;
  // The time to read and check the package, make the program, and read, verify and upload the weights.
  double load_seconds;
  double verify_seconds;      // part of load_seconds: the digests of weights
  double first_step_seconds;  // from a ready context to the end of the first step, without other batches
  // The source of the library choices: "package", "chosen_at_load" if the package's choices are for another
  // device, library or build, or empty if the package has no choices.
  std::string plans;
  bool low_memory;
  std::int64_t staging_bytes;  // peak of host memory for loading weights
};

}  // namespace graphbench::model
