// Whether something else computes on the core of the calling thread: a program on its other hardware thread,
// or, in a virtual machine, somebody who cannot be seen from within.
#pragma once

namespace graphbench::machine {

// Seconds of a fixed piece of arithmetic, some tens of microseconds: the median of five. The arithmetic
// is of several chains that do not wait for each other, so that it is bound by what a core does in a cycle:
// that is what two threads of a core divide.
double arithmetic_seconds();

}  // namespace graphbench::machine
