// How often a process used the cache of slow choices.
#pragma once

#include <cstdint>

namespace graphbench::facts {

struct CacheUse {
  std::int64_t hits;     // entries found, a key once
  std::int64_t misses;   // entries made, because none was found
  std::int64_t refused;  // files that could not be used
  std::int64_t bytes;    // of the entries found and made
  double seconds_saved;  // what making those found took, less the time waited for another process's
};

}  // namespace graphbench::facts
