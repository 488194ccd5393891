// Two of glibc's parameters; what they cost and save was measured with tests/load/streams.py.
#include "harness/service/serve/steady_heap.hpp"

#include <malloc.h>

namespace graphbench::serve {
namespace {

constexpr int mapped_bytes_min = 128 * 1024;

}  // namespace

// An allocator in glibc's place, a sanitizer's say, takes no such parameters: it has ways of its own.
void make_heap_steady() {
  // Bodies of /metrics have a megabyte or two, each a little longer than the last. By default glibc, once it
  // has freed such a block, takes the next ones from its heaps: between what is small and lives they leave
  // holes that the next body does not fit. A fixed threshold gives each a mapping of its own, gone when
  // freed.
  static_cast<void>(mallopt(M_MMAP_THRESHOLD, mapped_bytes_min));
  // A heap a thread would hold what one thread allocates and another frees: events go from the runner's to
  // the network's. One thread does most of the work; there is nobody to wait for.
  static_cast<void>(mallopt(M_ARENA_MAX, 1));
}

}  // namespace graphbench::serve
