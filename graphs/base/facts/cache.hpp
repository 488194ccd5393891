// How often one process used the cache of slow choices, and how much time the cache saved.
#pragma once

#include <cstdint>

namespace graphbench::facts {

struct CacheUse {
  std::int64_t hits;     // entries that the cache had; each key counts once
  std::int64_t misses;   // entries that the process had to make
  std::int64_t refused;  // cache files that could not be used
  std::int64_t bytes;    // total size of the found and the made entries
  double seconds_saved;  // time that making the found entries took once, minus the wait for other processes
};

}  // namespace graphbench::facts
