// What a process had of the cache of slow choices.
#pragma once

#include <cstdint>

namespace graphbench::facts {

struct CacheUse {
  std::int64_t hits = 0;     // entries found, a key once
  std::int64_t misses = 0;   // entries made, because none was found
  std::int64_t refused = 0;  // files that could not be used
  std::int64_t bytes = 0;    // of the entries found and made
  double seconds_saved = 0;  // what making those found took, less the time waited for another process's
};

}  // namespace graphbench::facts
