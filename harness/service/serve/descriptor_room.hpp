// File descriptors: each connection takes one, and the system gives a process so many.
#pragma once

#include <cstddef>

namespace graphbench::serve {

// How many of `connections` this process can hold at once. The soft limit is raised as far as that needs and
// the hard limit lets it. Throws Error(io) where the limits cannot be read or set, or leave room for none.
std::size_t make_descriptor_room(std::size_t connections);

}  // namespace graphbench::serve
