// The file of the sweeps' database: its permissions, its tables and their version.
#pragma once

#include <string>

#include "harness/storage/sqlite.hpp"

namespace graphbench::serve {

// Rises when the tables change in a way that an older graphbench cannot read.
inline constexpr int sweep_store_version = 2;

// Creates the file where there is none, for this user alone, and upgrades the tables of an older version.
// Throws Error(io) that names the file where it cannot be used or a newer version wrote it.
storage::Connection open_sweep_store(const std::string& file);

}  // namespace graphbench::serve
