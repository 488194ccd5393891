// The process's heap, set up so that a service that runs for months stays as small as what it holds.
#pragma once

namespace graphbench::serve {

// Before any other thread starts.
void make_heap_steady();

}  // namespace graphbench::serve
