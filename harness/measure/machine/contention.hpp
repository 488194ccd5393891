// Whether something else computes on the core of the calling thread: a program on its other hardware thread,
// or, in a virtual machine, another guest, which cannot be seen from inside.
#pragma once

namespace graphbench::machine {

// Seconds of a fixed piece of arithmetic, some tens of microseconds: the median of five. The arithmetic
// has several independent chains, so that the operations which a core does in a cycle bound it: two threads
// of a core share these.
double arithmetic_seconds();

}  // namespace graphbench::machine
