// How often one process used the cache (graphs/device/cache), and how much time the cache saved.
#pragma once

#include <cstdint>

namespace graphbench::facts {

struct CacheUse {
  std::int64_t hits;  // entries that the cache had; each key counts once
  std::int64_t misses;
  std::int64_t refused;
  std::int64_t bytes;    // total size of found and made entries
  double seconds_saved;  // time that the found entries once took to make, minus waits for other processes
};

}  // namespace graphbench::facts
