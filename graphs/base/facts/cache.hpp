// How often a process used the cache of slow choices.
#pragma once

#include <cstdint>

namespace graphbench::facts {

struct CacheUse {
  std::int64_t hits;     // entries that were found; each key counts once
  std::int64_t misses;   // entries made, because none was found
  std::int64_t refused;  // files that could not be used
  std::int64_t bytes;    // size of the entries found and made
  double seconds_saved;  // time that making the found entries took, without waiting for another process
};

}  // namespace graphbench::facts
